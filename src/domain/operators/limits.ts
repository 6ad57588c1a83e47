import { z } from 'zod';
import type { Reader, Transaction } from '../../infra/database/index.js';
import { parseSnowflake } from '../../infra/ids/ids.js';
import { addressOf, networkOf } from '../../infra/network/client-networks.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext } from '../call.js';
import { DomainError, invalidInput } from '../errors.js';
import { fault, maybe, textUpTo } from '../input.js';
import { WHOLE_INSTANCE } from '../instance-limits/instance-limits.js';
import { LIMIT_KINDS, type LimitKind, limitOf } from '../instance-limits/kinds.js';
import type { Refusals } from '../instance-limits/recent-refusals.js';
import { requireOperator } from './access.js';

/** Values for single people, bots and addresses, of all limits. */
export const MAX_SUBJECTS = 500;

export interface SubjectValue {
  /** Id of a person or bot, or a network address. */
  subject: string;
  value: number;
}

export interface LimitValues {
  kind: LimitKind;
  default: number;
  /** For the instance. Null for the default. */
  set: number | null;
  perSubject: SubjectValue[];
}

/** @throws NOT_FOUND */
export async function listLimits(call: CallContext): Promise<LimitValues[]> {
  await requireOperator(call, 'OPERATOR');
  const rows = await call.read.instanceLimit.findMany({ orderBy: { subject: 'asc' } });
  return LIMIT_KINDS.map((kind) => {
    const ofKind = rows.filter((row) => row.kind === kind);
    return {
      kind,
      default: call.instanceLimits.defaultOf(kind),
      set: ofKind.find(({ subject }) => subject === WHOLE_INSTANCE)?.value ?? null,
      perSubject: ofKind.filter(({ subject }) => subject !== WHOLE_INSTANCE),
    };
  });
}

/** Subjects that were refused in the last ten minutes, newest first. @throws NOT_FOUND */
export async function listRefusals(call: CallContext, take: number): Promise<Refusals[]> {
  await requireOperator(call, 'OPERATOR');
  return (await call.instanceLimits.refusals.list()).slice(0, take);
}

/** Current names of people and bots, by id. Addresses have none. The caller must be an operator. */
export async function nameSubjects(read: Reader, subjects: readonly string[]): Promise<Map<string, string>> {
  const ids = subjects.flatMap((subject) => parseSnowflake(subject) ?? []);
  const users = await read.user.findMany({ where: { id: { in: ids }, deletedAt: null } });
  return new Map(users.map(({ id, username }) => [String(id), username]));
}

export const NewLimit = z
  .object({
    kind: z.enum(LIMIT_KINDS),
    subject: maybe(textUpTo(100)).transform((subject) => subject || undefined),
    value: z.int().nullish(),
  })
  .superRefine(({ kind, value }, checks) => {
    const { min, max } = limitOf(kind);
    if (value == null || (value >= min && value <= max)) return;
    const { error, params } = fault('NUMBER_TYPE_RANGE', `Must be between ${min} and ${max}.`);
    checks.addIssue({ code: 'custom', path: ['value'], message: error, params });
  });

export interface LimitChange extends z.output<typeof NewLimit> {
  reason: string;
}

/**
 * Every process applies the value within a second. Without a value, the subject gets that of the instance, or the
 * instance the default.
 * @param change.subject id or username of a person, id of a bot, or a network address; undefined for the instance
 * @throws NOT_FOUND, LIMIT_EXCEEDED, INVALID_INPUT for a subject that does not exist or that the limit does not have
 */
export async function setLimit(call: CallContext, change: LimitChange): Promise<void> {
  await requireOperator(call, 'OPERATOR');
  const { kind, reason, value = null } = change;
  await call.because(reason).write(
    async ({ db, audit, record }) => {
      await requireOperator(call, 'OPERATOR', db);
      const subject = await findSubject(db, change);
      const where = { kind_subject: { kind, subject } };
      const old = (await db.instanceLimit.findUnique({ where }))?.value ?? null;
      if (old === value) return;
      if (value === null) await db.instanceLimit.delete({ where });
      else {
        if (old === null && subject !== WHOLE_INSTANCE) await requireRoom(db);
        await db.instanceLimit.upsert({ where, create: { kind, subject, value }, update: { value } });
      }
      await audit({
        action: 'LIMIT_UPDATE',
        targetId: parseSnowflake(subject) ?? 0n,
        changes: { kind, subject: subject || null, value: { old, new: value } },
      });
      record({ type: 'LIMITS_UPDATED' });
    },
    { streams: [topics.limits] },
  );
  await call.instanceLimits.renew();
}

async function requireRoom(db: Transaction): Promise<void> {
  const count = await db.instanceLimit.count({ where: { subject: { not: WHOLE_INSTANCE } } });
  if (count < MAX_SUBJECTS) return;
  const message = `There can be at most ${MAX_SUBJECTS} values for people, bots and addresses. Remove one first.`;
  throw new DomainError('LIMIT_EXCEEDED', message);
}

/** The subject as it is stored. */
async function findSubject(db: Transaction, { kind, subject, value }: Omit<LimitChange, 'reason'>): Promise<string> {
  if (subject === undefined) return WHOLE_INSTANCE;
  // Values of deleted people and applications can be removed.
  const isStored = (await db.instanceLimit.count({ where: { kind, subject } })) > 0;
  if (value == null && isStored) return subject;
  const { subjects } = limitOf(kind);
  const id = parseSnowflake(subject);
  const address = addressOf(subject);
  if (subjects.includes('PERSON')) {
    const where = { deletedAt: null, bot: false, ...(id === undefined ? { handle: subject.toLowerCase() } : { id }) };
    const person = await db.user.findFirst({ where, select: { id: true } });
    if (person) return String(person.id);
  }
  if (
    subjects.includes('BOT') &&
    id !== undefined &&
    (await db.application.count({ where: { id, deletedAt: null } })) > 0
  )
    return String(id);
  if (subjects.includes('ADDRESS') && address !== null) return networkOf(address);
  const message = `Not found. Enter ${subjects.map((one) => SUBJECT_WORDS[one]).join(', or ')}.`;
  throw invalidInput({ path: 'subject', code: 'BASE_TYPE_INVALID', message });
}

const SUBJECT_WORDS = {
  PERSON: 'the username or ID of a person',
  BOT: 'the ID of a bot',
  ADDRESS: 'a network address',
} as const;
