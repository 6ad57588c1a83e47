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
}

/** How often an enrolment is tried that met another with the same id space. */
const ATTEMPTS = 10;

/**
 * The box that a key is of; for a key that nobody knows, the box of the token, which is used up with it (docs/relay.md, R-14). Null for whom
 * neither admits.
 * @throws LIMIT_EXCEEDED when there are as many boxes as there are id spaces
 */
export async function admitBox(call: CallContext, { key, token }: Credentials): Promise<Box | null> {
  const known = await call.read.box.findUnique({ where: { publicKey: key } });
  if (known || token === undefined) return known;
  const tokenHash = hashSecret(token);
  // Whoever made a token up, without a key to be known by, keeps nobody from writing.
  if (!(await call.read.box.findUnique({ where: { tokenHash }, select: { id: true } }))) return null;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call.write((write) => enrol(call, write, { key, tokenHash }), { serializable: true });
    } catch (error) {
      if (!isUniqueConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

async function enrol(
  call: CallContext,
  { db, audit, record }: Write,
  { key, tokenHash }: { key: string; tokenHash: string },
): Promise<Box | null> {
  // Who shows the same key twice at once is one box, not two.
  const known = await db.box.findUnique({ where: { publicKey: key } });
  if (known) return known;
  const now = new Date(call.clock.now());
  const box = await db.box.findUnique({ where: { tokenHash, tokenEndsAt: { gt: now } } });
  if (!box) return null;
  const idSpace = box.idSpace ?? (await freeIdSpace(db));
  const data = { publicKey: key, tokenHash: null, tokenEndsAt: null, idSpace };
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

/** The lowest that no box has. @throws LIMIT_EXCEEDED */
async function freeIdSpace(db: Transaction): Promise<number> {
  const taken = await db.box.findMany({
    where: { idSpace: { not: null } },
    select: { idSpace: true },
    orderBy: { idSpace: 'asc' },
  });
  let free = ID_SPACES.first;
  for (const { idSpace } of taken) if (idSpace === free) free += 1;
  if (free > ID_SPACES.last) throw new DomainError('LIMIT_EXCEEDED', 'There are as many boxes as there can be.');
  return free;
}
