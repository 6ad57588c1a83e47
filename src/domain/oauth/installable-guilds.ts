import { yieldToEventLoop } from '../../infra/concurrency/event-loop.js';
import { livingProcesses } from '../boxes/connections.js';
import { type CallContext, requirePerson } from '../call.js';
import { GUILD_OPERATIONS } from '../guild-operations.js';
import { allows } from '../permissions.js';
import { listOwnGuilds } from '../users/own.js';

const PAGE = 200;

export interface InstallableGuild {
  id: bigint;
  name: string;
  /** Null for a cloud guild. */
  box: 'connected' | 'away' | null;
}

/** Guilds where the caller has ManageGuild or owns the box, by name. @throws UNAUTHENTICATED */
export async function listInstallableGuilds(call: CallContext): Promise<InstallableGuild[]> {
  const found = [...(await listManagedGuilds(call)), ...(await listBoxGuilds(call))];
  return found.sort((a, b) => a.name.localeCompare(b.name));
}

async function listManagedGuilds(call: CallContext): Promise<InstallableGuild[]> {
  const found: InstallableGuild[] = [];
  for (let after: bigint | undefined; ; ) {
    await yieldToEventLoop();
    const page = await listOwnGuilds(call, { after, limit: PAGE, withCounts: false });
    for (const { guild, permissions } of page) {
      if (!allows(permissions, GUILD_OPERATIONS.installApplication)) continue;
      found.push({ id: guild.id, name: guild.name, box: null });
    }
    after = page.at(-1)?.guild.id;
    if (page.length < PAGE) return found;
  }
}

async function listBoxGuilds(call: CallContext): Promise<InstallableGuild[]> {
  const { user } = requirePerson(call);
  const where = { box: { ownerId: user.id } };
  const select = { id: true, name: true, box: { select: { holderId: true } } };
  const found: { id: bigint; name: string; holderId: string | null }[] = [];
  for (let after: bigint | undefined; ; ) {
    await yieldToEventLoop();
    const pageWhere = { ...where, id: { gt: after } };
    const page = await call.read.boxGuild.findMany({ where: pageWhere, orderBy: { id: 'asc' }, take: PAGE, select });
    for (const { id, name, box } of page) found.push({ id, name, holderId: box.holderId });
    after = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  const holders = new Set(found.flatMap(({ holderId }) => holderId ?? []));
  const living = await livingProcesses(call.read, [...holders], call.live.now());
  return found.map(({ id, name, holderId }) => ({
    id,
    name,
    box: holderId !== null && living.has(holderId) ? 'connected' : 'away',
  }));
}
