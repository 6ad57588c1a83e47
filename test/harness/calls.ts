import { type AppContext, callContext } from '../../src/context.js';
import { createAccount } from '../../src/domain/accounts/index.js';
import type { AuditRecord } from '../../src/domain/audit-log/actions.js';
import type { CallContext, Write } from '../../src/domain/call.js';
import type { DomainEvent } from '../../src/domain/events.js';
import type { User } from '../../src/infra/database/index.js';

/** Somebody with an account who calls the domain's functions. */
export interface Caller {
  id: bigint;
  user: User;
  email: string;
  call: CallContext;
}

/** Signs somebody up who has no password. `name` must be a username that nobody has. */
export async function newCaller(app: AppContext, name: string): Promise<Caller> {
  const email = `${name}@people.example`;
  const user = await createAccount(
    callContext(app, { kind: 'anonymous' }),
    { name, email, emailVerified: true },
    { providerId: 'credential', issuer: 'local:credential', passwordHash: 'none' },
  );
  return { id: user.id, user, email, call: callContext(app, { kind: 'person', user }) };
}

/** What the transactions of a call left beside their rows. */
export interface Told {
  events: DomainEvent[];
  entries: AuditRecord[];
  /** Each as `address subject`. */
  mails: string[];
  /** For each transaction, whether it was kept from running beside its like. */
  serializable: boolean[];
}

/** Does `work` with the same call, and tells what came of the transactions that were committed. */
export async function toldBy(call: CallContext, work: (call: CallContext) => Promise<unknown>): Promise<Told> {
  const told: Told = { events: [], entries: [], mails: [], serializable: [] };
  const listening: CallContext = {
    ...call,
    async write(inner, options) {
      let attempt = nothing(false);
      const result = await call.write((write) => {
        attempt = nothing(options?.serializable ?? false);
        return inner(noting(write, attempt));
      }, options);
      told.events.push(...attempt.events);
      told.entries.push(...attempt.entries);
      told.mails.push(...attempt.mails);
      told.serializable.push(...attempt.serializable);
      return result;
    },
  };
  await work(listening);
  return told;
}

const nothing = (serializable: boolean): Told => ({ events: [], entries: [], mails: [], serializable: [serializable] });

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

/** The same call, whose transactions all fail before they begin. */
export function failing(call: CallContext): CallContext {
  return { ...call, write: () => Promise.reject(new Error('the disk is full')) };
}
