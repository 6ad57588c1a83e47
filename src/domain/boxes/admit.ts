import { hashSecret } from '../../infra/crypto/secrets.js';
import { isUniqueConflict } from '../../infra/database/faults.js';
import type { Box, Transaction } from '../../infra/database/index.js';
import { ID_SPACES } from '../../infra/ids/ids.js';
import { topics } from '../../infra/streams/topics.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';
import { limits } from '../limits.js';

/** A box's credentials. The caller has verified the signature. */
export interface Credentials {
  /** 32 bytes in base64url, as Node encodes them. */
  key: string;
  token?: string | undefined;
  /** The id space of ids that the box has created already. */
  idSpace?: number | undefined;
}

/** A concurrent enrolment may take the same id space. */
const ATTEMPTS = 10;

/**
 * An unknown key enrols the token's box and uses the token up (docs/relay.md, R-14). Null if neither is valid.
 * @throws LIMIT_EXCEEDED if no id space is left, CONFLICT if the box cannot have the id space of its ids. The token
 * stays valid.
 */
export async function admitBox(call: CallContext, { key, token, idSpace }: Credentials): Promise<Box | null> {
  const known = await call.read.box.findUnique({ where: { publicKey: key } });
  if (known || token === undefined) return known;
  const tokenHash = hashSecret(token);
  // An invalid token must not start a transaction, because it blocks other writes.
  const found = await call.read.box.findUnique({ where: { tokenHash }, select: { id: true, ownerId: true } });
  if (!found) return null;
  const streams = [topics.box(found.id), topics.user(found.ownerId)];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call.write((write) => enrol(call, write, { key, tokenHash, idSpace }), { streams });
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
  // Concurrent enrolments with one key get the same box.
  const known = await db.box.findUnique({ where: { publicKey: key } });
  if (known) return known;
  const now = new Date(call.clock.now());
  const box = await db.box.findUnique({ where: { tokenHash, tokenEndsAt: { gt: now } } });
  if (!box) return null;
  const idSpace = box.idSpace ?? (await idSpaceFor(db, box, wanted));
  const rekeyedAt = box.generation === 0 ? null : now;
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
 * Each id space belongs to one owner for good, so that no other owner's box can impersonate a deleted box. Prefers the
 * wanted number, then the next unused one. At `limits.idSpacesPerOwner`, reuses a free number of the owner.
 * @throws CONFLICT if the wanted number is another box's, LIMIT_EXCEEDED
 */
async function idSpaceFor(db: Transaction, { ownerId }: Box, wanted: number | undefined): Promise<number> {
  const free = await freeIdSpaces(db, ownerId);
  if (wanted !== undefined && free.includes(wanted)) return wanted;
  const isOthers = wanted !== undefined && (await db.boxIdSpace.findUnique({ where: { number: wanted } })) !== null;
  if (isOthers) throw new DomainError('CONFLICT', 'The IDs that this box created belong to another box.');
  const given = await db.boxIdSpace.count({ where: { ownerId } });
  const { _max: newest } = await db.boxIdSpace.aggregate({ _max: { number: true } });
  const next = (newest.number ?? ID_SPACES.first - 1) + 1;
  if (given < limits.idSpacesPerOwner && next <= ID_SPACES.last) {
    await db.boxIdSpace.create({ data: { number: next, ownerId } });
    return next;
  }
  const [reused] = free;
  if (reused === undefined)
    throw new DomainError('LIMIT_EXCEEDED', 'The maximum number of boxes has been reached. Delete a box first.');
  return reused;
}

async function freeIdSpaces(db: Transaction, ownerId: bigint): Promise<number[]> {
  const given = await db.boxIdSpace.findMany({ where: { ownerId }, orderBy: { number: 'asc' } });
  const numbers = given.map(({ number }) => number);
  const held = await db.box.findMany({ where: { idSpace: { in: numbers } }, select: { idSpace: true } });
  const taken = new Set(held.map(({ idSpace }) => idSpace));
  return numbers.filter((number) => !taken.has(number));
}
