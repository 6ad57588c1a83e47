import { setTimeout } from 'node:timers/promises';
import type { EndpointOutcome, Endpoints } from '../../domain/interactions/index.js';
import { createSigningKeys } from '../../infra/crypto/keys.js';
import type { Sandbox } from '../sandbox.js';

/** The platform's own time limit of a post, in milliseconds. */
const LIMIT_MS = 3_000;

/** Puts posts to endpoints into the transcript and applies the faults of their worlds. */
export function interceptEndpoints(sandbox: Sandbox): (endpoints: Endpoints) => Endpoints {
  return (endpoints) => ({
    async deliver(request, key) {
      const found = sandbox.worldOf(request.application.id);
      if (!found) return endpoints.deliver(request, key);
      const { world, application } = found;
      const fault = world.faults.onPost(application.name);
      const line = `${application.name} ← ${request.name}`;
      if (fault) world.transcript.add({ kind: 'fault', text: `${line}: ${JSON.stringify(fault)}` });
      const outcome = await delivered();
      const { kind, step, httpMs } = outcome;
      world.transcript.add({
        kind: 'endpoint',
        text: `${line} → ${step.status ?? 'no answer'} (${kind}, ${Math.round(httpMs)} ms)`,
        data: { request: step.request, answer: step.response, ...('reason' in outcome && { reason: outcome.reason }) },
      });
      return outcome;

      async function delivered(): Promise<EndpointOutcome> {
        switch (fault?.type) {
          case undefined:
            return endpoints.deliver(request, key);
          case 'badSignature':
            return endpoints.deliver(
              { ...request, application: { ...request.application, privateKey: createSigningKeys().privateKey } },
              key,
            );
          case 'twice': {
            const [first, second] = await Promise.all([
              endpoints.deliver(request, key),
              endpoints.deliver(request, key),
            ]);
            if (second.kind === 'answered') for (const { blob } of second.files) await blob.discard();
            return first;
          }
          case 'delay': {
            const first = await endpoints.deliver(request, key);
            await setTimeout(fault.ms);
            if (first.httpMs + fault.ms < LIMIT_MS) return first;
            if (first.kind === 'answered') for (const { blob } of first.files) await blob.discard();
            return {
              kind: 'failed',
              step: first.step,
              httpMs: LIMIT_MS,
              reason: 'The endpoint did not respond within 3 seconds.',
            };
          }
        }
      }
    },
  });
}
