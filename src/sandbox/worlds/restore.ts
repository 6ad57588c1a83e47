import type { Transaction } from '../../infra/database/index.js';

/** Everything that belongs to a world: what its people own, and what is in it. */
export interface WorldScope {
  people: readonly bigint[];
  guilds: readonly bigint[];
  applications: readonly bigint[];
  teams: readonly bigint[];
}

/** Also finds what was made since the world was built. */
export async function scopeOfWorld(db: Pick<Transaction, 'guild' | 'application' | 'team'>, people: readonly bigint[]) {
  const owned = { in: [...people] };
  const select = { id: true } as const;
  const teams = await db.team.findMany({ where: { ownerUserId: owned }, select });
  const ofTeams = { in: teams.map(({ id }) => id) };
  const guilds = await db.guild.findMany({ where: { ownerId: owned }, select });
  const applications = await db.application.findMany({
    where: { OR: [{ ownerUserId: owned }, { ownerTeamId: ofTeams }] },
    select,
  });
  return {
    people,
    guilds: guilds.map(({ id }) => id),
    applications: applications.map(({ id }) => id),
    teams: teams.map(({ id }) => id),
  };
}

/** Removes the traces of a test. People, applications and the commands that they registered stay. */
export async function removeContent(db: Transaction, scope: WorldScope): Promise<void> {
  const [guilds, applications, people, teams] = [scope.guilds, scope.applications, scope.people, scope.teams].map(
    listOf,
  );
  const users = listOf([...scope.people, ...scope.applications]);
  const direct = `SELECT "channelId" FROM "ChannelRecipient" WHERE "userId" IN (${users})`;
  await run(db, [
    `DELETE FROM "Interaction" WHERE "applicationId" IN (${applications}) OR "userId" IN (${people})`,
    `DELETE FROM "Channel" WHERE "id" IN (${direct})`,
    `DELETE FROM "CommandPermission" WHERE "applicationId" IN (${applications}) OR "guildId" IN (${guilds})`,
    `DELETE FROM "Installation" WHERE "applicationId" IN (${applications}) OR "guildId" IN (${guilds}) OR "userId" IN (${people})`,
    `DELETE FROM "OAuthGrant" WHERE "applicationId" IN (${applications}) OR "userId" IN (${people})`,
    `DELETE FROM "Webhook" WHERE "applicationId" IN (${applications})`,
    `DELETE FROM "Tester" WHERE "applicationId" IN (${applications}) OR "userId" IN (${people})`,
    `DELETE FROM "Emoji" WHERE "applicationId" IN (${applications})`,
    `DELETE FROM "TeamMember" WHERE "userId" IN (${people})`,
    `DELETE FROM "AuditEntry" WHERE "guildId" IN (${guilds}) OR "applicationId" IN (${applications}) OR "teamId" IN (${teams})`,
    // The database deletes roles, members, channels, messages and invites with it.
    `DELETE FROM "Guild" WHERE "id" IN (${guilds})`,
  ]);
}

/** After {@link removeContent}. */
export async function removeOwners(
  db: Transaction,
  { people, applications, teams }: Pick<WorldScope, 'people' | 'applications' | 'teams'>,
): Promise<void> {
  const accounts = people.map((id) => `'${id}'`).join(',');
  await run(db, [
    `DELETE FROM "Application" WHERE "id" IN (${listOf(applications)})`,
    `DELETE FROM "Team" WHERE "id" IN (${listOf(teams)})`,
    `DELETE FROM "AuthUser" WHERE "id" IN (${accounts})`,
    `DELETE FROM "PersonalToken" WHERE "userId" IN (${listOf(people)})`,
    `DELETE FROM "Box" WHERE "ownerId" IN (${listOf(people)})`,
    `DELETE FROM "Presence" WHERE "userId" IN (${listOf([...people, ...applications])})`,
    `DELETE FROM "User" WHERE "id" IN (${listOf([...people, ...applications])})`,
  ]);
}

/** Foreign keys are checked at the end of the transaction. */
async function run(db: Transaction, statements: readonly string[]): Promise<void> {
  await db.$executeRawUnsafe('PRAGMA defer_foreign_keys = ON');
  for (const statement of statements) await db.$executeRawUnsafe(statement);
}

/** Ids are numbers, so that the text needs no quotes. */
function listOf(ids: readonly bigint[]): string {
  return ids.join(',');
}
