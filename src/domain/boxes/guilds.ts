import type { BoxGuild, Reader } from '../../infra/database/index.js';
import { storedScopes } from '../installations/scopes.js';

/** The guilds of a box, whether or not it is connected, in ascending order of their ids. */
export function guildsOfBox(read: Pick<Reader, 'boxGuild'>, boxId: bigint): Promise<BoxGuild[]> {
  return read.boxGuild.findMany({ where: { boxId }, orderBy: { id: 'asc' } });
}

/** The applications whose bots were installed to a guild, in ascending order of their ids. */
export async function botsOfGuild(read: Pick<Reader, 'installation'>, guildId: bigint): Promise<bigint[]> {
  const installations = await read.installation.findMany({
    where: { guildId },
    select: { applicationId: true, scopes: true },
    orderBy: { applicationId: 'asc' },
  });
  return installations.filter(({ scopes }) => storedScopes(scopes).includes('bot')).map((one) => one.applicationId);
}
