import type { Reader, Transaction } from '../../infra/database/index.js';

interface Named {
  id: bigint;
  name: string;
}

export interface Owned {
  servers: Named[];
  teams: Named[];
  boxes: Named[];
  /** Servers on boxes of other people. */
  boxServers: Named[];
}

/** Finds everything that must be handed over or deleted before the person. */
export async function findOwned(db: Reader | Transaction, userId: bigint): Promise<Owned> {
  const select = { id: true, name: true } as const;
  const orderBy = { id: 'asc' } as const;
  const ownerId = userId;
  return {
    servers: await db.guild.findMany({ where: { ownerId, deletedAt: null }, select, orderBy }),
    teams: await db.team.findMany({ where: { ownerUserId: userId }, select, orderBy }),
    boxes: await db.box.findMany({ where: { ownerId }, select, orderBy }),
    boxServers: await db.boxGuild.findMany({
      where: { ownerId, box: { ownerId: { not: userId } } },
      select,
      orderBy,
    }),
  };
}

export function ownsSomething(owned: Owned): boolean {
  return Object.values(owned).some((list) => list.length > 0);
}

const MOST_NAMED = 10;

/** For example “the servers Harbour and Kitchen, and the team Otters”. */
export function namesOf({ servers, teams, boxes, boxServers }: Owned): string {
  const kinds: [string, Named[]][] = [
    ['server', [...servers, ...boxServers]],
    ['team', teams],
    ['box', boxes],
  ];
  const parts = kinds
    .filter(([, list]) => list.length > 0)
    .map(([noun, list]) => `the ${nounOf(noun, list)} ${listed(list)}`);
  return parts.join(', ');
}

function nounOf(noun: string, { length }: Named[]): string {
  if (length === 1) return noun;
  return noun === 'box' ? 'boxes' : `${noun}s`;
}

function listed(list: Named[]): string {
  const names = list.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = list.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : new Intl.ListFormat('en').format(names);
}
