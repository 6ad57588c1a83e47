import type { AppContext } from '../../../src/context.js';
import { type AnnouncedGuild, admitBox, announceGuild, createBox } from '../../../src/domain/boxes/index.js';
import type { Box, User } from '../../../src/infra/database/index.js';
import { boxSnowflakes, type NextId } from '../../../src/infra/ids.js';
import { randomToken } from '../../../src/infra/secrets.js';
import { createPerson } from '../../harness/rows.js';
import { callOf } from '../../harness/world.js';

/** A box that has a key. */
export interface EnrolledBox {
  id: bigint;
  row: Box;
  owner: User;
  key: string;
  /** Makes ids as the box would. */
  nextId: NextId;
}

/** A public key as a box shows it, of which nobody has the other half. */
export const newKey = () => randomToken(32);

/** A box of a new person's, unless stated, enrolled with a new key. */
export async function enrolledBox(app: AppContext, owner?: User): Promise<EnrolledBox> {
  const person = owner ?? (await createPerson(app));
  const call = callOf(app, person);
  const { box, enrolmentToken } = await createBox(call, { name: 'Attic' });
  const key = newKey();
  const row = await admitBox(call, { key, token: enrolmentToken });
  if (row === null || row.idSpace === null) throw new Error('the box was not admitted');
  return { id: box.id, row, owner: person, key, nextId: boxSnowflakes(app.clock, row.idSpace) };
}

/** A guild as a box announces it, with one channel and an owner of the box's own. */
export function guildOn({ nextId }: EnrolledBox, facts: Partial<AnnouncedGuild> = {}): AnnouncedGuild {
  return { id: nextId(), name: 'Home', iconHash: null, ownerId: nextId(), channelIds: [nextId()], ...facts };
}

/** A guild that a box has announced. */
export async function announcedGuild(
  app: AppContext,
  box: EnrolledBox,
  facts: Partial<AnnouncedGuild> = {},
): Promise<AnnouncedGuild> {
  const guild = guildOn(box, facts);
  await announceGuild(app.callOfNobody(), box.id, guild);
  return guild;
}
