import type { BoxGuild, Reader } from '../../infra/database/index.js';
import { storedScopes } from '../installations/scopes.js';

/** Ascending by id. */
export function guildsOfBox(read: Pick<Reader, 'boxGuild'>, boxId: bigint): Promise<BoxGuild[]> {
  return read.boxGuild.findMany({ where: { boxId }, orderBy: { id: 'asc' } });
}

/** Ascending by id. */
export async function botsOfGuild(read: Pick<Reader, 'installation'>, guildId: bigint): Promise<bigint[]> {
  const installations = await read.installation.findMany({
    where: { guildId },
    select: { applicationId: true, scopes: true },
    orderBy: { applicationId: 'asc' },
  });
  return installations.filter(({ scopes }) => storedScopes(scopes).includes('bot')).map((one) => one.applicationId);
}
