import { type AppContext, callContext } from '../../src/context.js';
import { createAccount } from '../../src/domain/accounts/index.js';
import type { AuditRecord } from '../../src/domain/audit-log/actions.js';
import type { CallContext, Write } from '../../src/domain/call.js';
import type { DomainEvent } from '../../src/domain/events.js';
import type { User } from '../../src/infra/database/index.js';

export interface Caller {
  id: bigint;
  user: User;
  email: string;
  call: CallContext;
}

/** Makes an account without a password. `name` must be an unused username. */
export async function newCaller(app: AppContext, name: string): Promise<Caller> {
  const email = `${name}@people.example`;
  const user = await createAccount(
    callContext(app, { kind: 'anonymous' }),
    { name, email, emailVerified: true },
    { providerId: 'credential', issuer: 'local:credential', passwordHash: 'none' },
  );
  return { id: user.id, user, email, call: callContext(app, { kind: 'person', user }) };
}

export interface Told {
  events: DomainEvent[];
  entries: AuditRecord[];
  /** Each as `address subject`. */
  mails: string[];
  /** For each transaction, whether it locks a stream. */
  locking: boolean[];
}

/** Runs `work` with the same call and records the effects of committed transactions. */
export async function toldBy(call: CallContext, work: (call: CallContext) => Promise<unknown>): Promise<Told> {
  const told: Told = { events: [], entries: [], mails: [], locking: [] };
  const listening: CallContext = {
    ...call,
    async write(inner, options) {
      let attempt = nothing(false);
      const result = await call.write((write) => {
        attempt = nothing((options?.streams ?? []).length > 0);
        return inner(noting(write, attempt));
      }, options);
      told.events.push(...attempt.events);
      told.entries.push(...attempt.entries);
      told.mails.push(...attempt.mails);
      told.locking.push(...attempt.locking);
      return result;
    },
  };
  await work(listening);
  return told;
}

const nothing = (isLocking: boolean): Told => ({ events: [], entries: [], mails: [], locking: [isLocking] });

function noting(write: Write, { events, entries, mails }: Told): Write {
  return {
    ...write,
    record: (event) => {
      events.push(event);
      write.record(event);
    },
    audit: (entry) => {
      entries.push(entry);
      return write.audit(entry);
    },
    mail: (mail) => {
      mails.push(`${mail.to} ${mail.subject}`);
      write.mail(mail);
    },
  };
}

export function failing(call: CallContext): CallContext {
  return { ...call, write: () => Promise.reject(new Error('the disk is full')) };
}
