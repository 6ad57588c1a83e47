import type { AppContext } from '../../../context.js';
import type { Application, Guild } from '../../../infra/database/index.js';
import { scopeOfWorld } from '../restore.js';
import type { World } from '../world.js';

/** The current people, servers and applications of a world. Ids of people include those on the box. */
export interface Contents {
  people: { name: string; displayName: string | null }[];
  /** Those on the box come last. */
  guilds: ContainedGuild[];
  applications: ContainedApplication[];
  nameOfPerson: ReadonlyMap<bigint, string>;
  nameOfApplication: ReadonlyMap<bigint, string>;
}

/** With the instance that has it. */
export type ContainedGuild = Guild & { app: AppContext; isOnBox: boolean };

export type ContainedApplication = Application & { ownerTeam: { ownerUserId: bigint } | null };

/** Also finds what people made since the world was built. */
export async function contentsOf(world: World): Promise<Contents> {
  const { app, box } = world;
  const ids = [...world.people.values()].map(({ id }) => id);
  const scope = await scopeOfWorld(app.db.reader, ids);
  const [people, applications, guilds, guildsOnBox] = await Promise.all([
    app.db.reader.user.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } }),
    app.db.reader.application.findMany({
      where: { id: { in: scope.applications }, deletedAt: null },
      include: { ownerTeam: { select: { ownerUserId: true } } },
      orderBy: { id: 'asc' },
    }),
    guildsOf(app, ids),
    box
      ? guildsOf(
          box.app,
          [...box.people.values()].map(({ id }) => id),
        )
      : [],
  ]);
  const nameOfPerson = new Map(people.map(({ id, username }) => [id, username]));
  for (const { id, name } of world.people.values()) {
    const onBox = box?.people.get(name);
    if (onBox) nameOfPerson.set(onBox.id, nameOfPerson.get(id) ?? name);
  }
  return {
    people: people.map(({ username, globalName }) => ({ name: username, displayName: globalName })),
    guilds: [
      ...guilds.map((guild) => ({ ...guild, app, isOnBox: false })),
      ...guildsOnBox.map((guild) => ({ ...guild, app: box?.app ?? app, isOnBox: true })),
    ],
    applications,
    nameOfPerson,
    nameOfApplication: new Map(applications.map(({ id, name }) => [id, name])),
  };
}

function guildsOf({ db }: AppContext, ownerIds: readonly bigint[]): Promise<Guild[]> {
  return db.reader.guild.findMany({
    where: { ownerId: { in: [...ownerIds] }, deletedAt: null },
    orderBy: { id: 'asc' },
  });
}
