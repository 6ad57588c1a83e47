import type { AppContext } from '../../../src/context.js';
import { type AnnouncedGuild, admitBox, announceGuild, createBox } from '../../../src/domain/boxes/index.js';
import { randomToken } from '../../../src/infra/crypto/secrets.js';
import type { Box, User } from '../../../src/infra/database/index.js';
import { boxSnowflakes, type NextId } from '../../../src/infra/ids/ids.js';
import { createPerson } from '../../harness/rows.js';
import { callOf } from '../../harness/world.js';

export interface EnrolledBox {
  id: bigint;
  row: Box;
  owner: User;
  key: string;
  nextId: NextId;
}

/** A random public key without a private key. */
export const newKey = () => randomToken(32);

export async function enrolledBox(app: AppContext, owner?: User): Promise<EnrolledBox> {
  const person = owner ?? (await createPerson(app));
  const call = callOf(app, person);
  const { box, enrolmentToken } = await createBox(call, { name: 'Attic' });
  const key = newKey();
  const row = await admitBox(call, { key, token: enrolmentToken });
  if (row === null || row.idSpace === null) throw new Error('the box was not admitted');
  return { id: box.id, row, owner: person, key, nextId: boxSnowflakes(app.clock, row.idSpace) };
}

export function guildOn({ nextId }: EnrolledBox, facts: Partial<AnnouncedGuild> = {}): AnnouncedGuild {
  return { id: nextId(), name: 'Home', iconHash: null, ownerId: nextId(), channelIds: [nextId()], ...facts };
}

export async function announcedGuild(
  app: AppContext,
  box: EnrolledBox,
  facts: Partial<AnnouncedGuild> = {},
): Promise<AnnouncedGuild> {
  const guild = guildOn(box, facts);
  await announceGuild(app.callOfNobody(), box.id, guild);
  return guild;
}
