import { setTimeout } from 'node:timers/promises';
import { BoxError, type BoxInterceptor } from '../../relay/cloud/index.js';
import type { Sandbox } from '../sandbox.js';

/** Applies the faults of worlds to what their bots ask of boxes. */
export function interceptBoxes(sandbox: Sandbox): BoxInterceptor {
  return async (boxId, { method, path, bot }, { budgetMs }, send) => {
    const world = sandbox.worlds.find(({ box }) => box?.id === boxId);
    const application = world?.applications.find(({ id }) => String(id) === bot.application_id)?.name ?? null;
    const fault = world?.faults.onBoxRequest(application, method !== 'GET');
    if (!world || !fault) return send();
    const text = `${application} ${method} ${path} on the box: ${JSON.stringify(fault)}`;
    world.transcript.add({ kind: 'fault', text });
    const answer = await send();
    if (fault.type === 'delay') {
      await setTimeout(Math.min(fault.ms, budgetMs));
      if (fault.ms < budgetMs) return answer;
    }
    throw new BoxError('timeout', 'a fault of the sandbox lost the answer');
  };
}
