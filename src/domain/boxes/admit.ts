import { isUniqueConflict } from '../../infra/database/faults.js';
import type { Box, Transaction } from '../../infra/database/index.js';
import { ID_SPACES } from '../../infra/ids.js';
import { hashSecret } from '../../infra/secrets.js';
import type { CallContext, Write } from '../call.js';
import { DomainError } from '../errors.js';

/** What a box showed for itself, once its signature was checked. */
export interface Credentials {
  /** 32 bytes in base64url, written as Node writes them. */
  key: string;
  token?: string | undefined;
  /** That of the ids that the box has made already: a box that has none in the cloud gets it, where nobody else has it. */
  idSpace?: number | undefined;
}

/** How often an enrolment is tried that met another with the same id space. */
const ATTEMPTS = 10;

/**
 * The box that a key is of; for a key that nobody knows, the box of the token, which is used up with it (docs/relay.md, R-14). Null for whom
 * neither admits.
 * @throws LIMIT_EXCEEDED when there are as many boxes as there are id spaces
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
  const idSpace = box.idSpace ?? (await freeIdSpace(db, wanted));
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
 * One that no box has: the one that is wanted, else the one behind all others, so that those of deleted boxes stay free for whoever enrols their data
 * anew; the lowest where there is none behind.
 * @throws LIMIT_EXCEEDED
 */
async function freeIdSpace(db: Transaction, wanted: number | undefined): Promise<number> {
  const rows = await db.box.findMany({ where: { idSpace: { not: null } }, select: { idSpace: true } });
  const taken = new Set(rows.map(({ idSpace }) => idSpace));
  const isFree = (idSpace: number) => idSpace >= ID_SPACES.first && idSpace <= ID_SPACES.last && !taken.has(idSpace);
  if (wanted !== undefined && isFree(wanted)) return wanted;
  const behind = Math.max(ID_SPACES.first - 1, ...rows.map(({ idSpace }) => idSpace ?? 0)) + 1;
  if (isFree(behind)) return behind;
  for (let free = ID_SPACES.first; free <= ID_SPACES.last; free += 1) if (isFree(free)) return free;
  throw new DomainError('LIMIT_EXCEEDED', 'There are as many boxes as there can be.');
}
