import { isUniqueConflict } from '../../infra/database/faults.js';
import type { Box, Transaction } from '../../infra/database/index.js';
import { ID_SPACES } from '../../infra/ids.js';
import { hashSecret } from '../../infra/secrets.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';

/** What a box showed for itself, once its signature was checked. */
export interface Credentials {
  /** 32 bytes in base64url, written as Node writes them. */
  key: string;
  token?: string | undefined;
  /** That of the ids that the box has made already. */
  idSpace?: number | undefined;
}

/** How often an enrolment is tried that met another with the same id space. */
const ATTEMPTS = 10;

/**
 * The box that a key is of; for a key that nobody knows, the box of the token, which is used up with it (docs/relay.md, R-14). Null for whom
 * neither admits.
 * @throws LIMIT_EXCEEDED when no id space is left, and CONFLICT when the box made its ids with one that it cannot have; the token stays good
 */
export async function admitBox(call: CallContext, { key, token, idSpace }: Credentials): Promise<Box | null> {
  const known = await call.read.box.findUnique({ where: { publicKey: key } });
  if (known || token === undefined) return known;
  const tokenHash = hashSecret(token);
  // Whoever made a token up, without a key to be known by, keeps nobody from writing.
  if (!(await call.read.box.findUnique({ where: { tokenHash }, select: { id: true } }))) return null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call.write((write) => enrol(call, write, { key, tokenHash, idSpace }), { serializable: true });
    } catch (error) {
      if (!isUniqueConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function enrol(
  call: CallContext,
  { db, audit, record }: Write,
  { key, tokenHash, idSpace: wanted }: { key: string; tokenHash: string; idSpace: number | undefined },
): Promise<Box | null> {
  // Who shows the same key twice at once is one box, not two.
  const known = await db.box.findUnique({ where: { publicKey: key } });
  if (known) return known;
  const now = new Date(call.clock.now());
  const box = await db.box.findUnique({ where: { tokenHash, tokenEndsAt: { gt: now } } });
  if (!box) return null;
  const idSpace = box.idSpace ?? (await idSpaceFor(db, box, wanted));
  const rekeyedAt = box.publicKey === null ? null : now;
  const data = { publicKey: key, tokenHash: null, tokenEndsAt: null, idSpace, rekeyedAt };
  const { count } = await db.box.updateMany({ where: { id: box.id, tokenHash }, data });
  if (count === 0) return null;
  await audit({
    action: 'BOX_ENROL',
    targetId: box.id,
    changes: { publicKey: { old: box.publicKey, new: key } },
  });
  record({ type: 'BOX_UPDATED', boxId: box.id });
  return { ...box, ...data };
}

/**
 * An id space for a box that has none. A number is only ever given to boxes of one owner, so that nobody can pass for a deleted box of
 * somebody else. The box gets the number that it wants if its owner was given that before and no other box has it, otherwise the one after all
 * numbers ever given. An owner who was given `limits.idSpacesPerOwner` numbers gets a free one of those instead.
 * @throws CONFLICT when the number that it wants was given to another box, and LIMIT_EXCEEDED when no number is left
 */
async function idSpaceFor(db: Transaction, { ownerId }: Box, wanted: number | undefined): Promise<number> {
  const free = await freeIdSpaces(db, ownerId);
  if (wanted !== undefined && free.includes(wanted)) return wanted;
  const isOthers = wanted !== undefined && (await db.boxIdSpace.findUnique({ where: { number: wanted } })) !== null;
  if (isOthers) throw new DomainError('CONFLICT', 'The ids that this box has made are those of another box.');
  const given = await db.boxIdSpace.count({ where: { ownerId } });
  const { _max: newest } = await db.boxIdSpace.aggregate({ _max: { number: true } });
  const next = (newest.number ?? ID_SPACES.first - 1) + 1;
  if (given < limits.idSpacesPerOwner && next <= ID_SPACES.last) {
    await db.boxIdSpace.create({ data: { number: next, ownerId } });
    return next;
  }
  const [reused] = free;
  if (reused === undefined) throw new DomainError('LIMIT_EXCEEDED', 'There are as many boxes as there can be.');
  return reused;
}

/** The numbers that were given to boxes of an owner which are deleted, in ascending order. */
async function freeIdSpaces(db: Transaction, ownerId: bigint): Promise<number[]> {
  const given = await db.boxIdSpace.findMany({ where: { ownerId }, orderBy: { number: 'asc' } });
  const numbers = given.map(({ number }) => number);
  const held = await db.box.findMany({ where: { idSpace: { in: numbers } }, select: { idSpace: true } });
  const taken = new Set(held.map(({ idSpace }) => idSpace));
  return numbers.filter((number) => !taken.has(number));
}
