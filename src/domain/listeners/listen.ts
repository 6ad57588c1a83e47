import { randomUUID } from 'node:crypto';
import type { Application } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { accessApplication } from '../applications/access.js';
import type { CallContext } from '../call.js';
import { DomainError } from '../errors.js';

export interface Listener {
  applicationId: bigint;
  listenerId: string;
}

/** Whether a listener receives the application's interactions, instead of its endpoint and its bot. */
export function hasListener({ listenerId, listenerProcessId }: Application): boolean {
  return listenerId !== null && listenerProcessId !== null;
}

/**
 * The new listener replaces an earlier one. It ends with this process, or by {@link stopListening}.
 * @throws the errors of `accessApplication`
 */
export async function startListening(call: CallContext, applicationId: bigint): Promise<Listener> {
  const listenerId = randomUUID();
  await call.write(
    async ({ db, record, audit }) => {
      await accessApplication(call, applicationId, 'updateSettings', db);
      const data = { listenerId, listenerProcessId: call.live.id };
      await db.application.update({ where: { id: applicationId }, data });
      const changes = { listener: { old: false, new: true } };
      await audit({ action: 'APPLICATION_UPDATE', applicationId, targetId: applicationId, changes });
      record({ type: 'APPLICATION_UPDATED', applicationId });
    },
    { streams: [topics.application(applicationId)] },
  );
  return { applicationId, listenerId };
}

/**
 * Repairs the listener after the row of its process was lost.
 * @throws CONFLICT if another listener replaced this one, and the errors of `accessApplication`
 */
export async function keepListening(call: CallContext, { applicationId, listenerId }: Listener): Promise<void> {
  const application = await accessApplication(call, applicationId, 'updateSettings');
  if (application.listenerId !== listenerId) throw replaced();
  if (hasListener(application)) return;
  if (!(await change(call, { applicationId, listenerId }, { listenerProcessId: call.live.id }))) throw replaced();
}

function replaced(): DomainError {
  return new DomainError('CONFLICT', 'Another listener receives the interactions of this application now.');
}

/** Does nothing if another listener replaced this one. */
export async function stopListening(call: CallContext, listener: Listener): Promise<void> {
  await change(call, listener, { listenerId: null, listenerProcessId: null });
}

async function change(
  call: CallContext,
  { applicationId, listenerId }: Listener,
  data: Partial<Pick<Application, 'listenerId' | 'listenerProcessId'>>,
): Promise<boolean> {
  const { count } = await call.writeOne(
    (db) => db.application.updateMany({ where: { id: applicationId, listenerId }, data }),
    {
      streams: [topics.application(applicationId)],
      event: ({ count }) => (count === 1 ? { type: 'APPLICATION_UPDATED', applicationId } : null),
    },
  );
  return count === 1;
}
