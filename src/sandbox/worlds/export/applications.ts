import type { AppContext } from '../../../context.js';
import { commandRecord, GLOBAL_SCOPE, shortBodyOf } from '../../../domain/commands/index.js';
import type { Application, Role } from '../../../infra/database/index.js';
import type { ApplicationSeed } from '../../protocol.js';
import type { World } from '../world.js';
import type { ContainedApplication, Contents } from './contents.js';
import { permissionNames, unlessEmpty, withoutDefaults } from './fields.js';

type CommandBody = NonNullable<ApplicationSeed['commands']>[number];

/** A team's application gets the owner of the team. */
export async function applicationSeed(
  { app, box }: World,
  application: ContainedApplication,
  contents: Contents,
): Promise<ApplicationSeed> {
  const { id, description, publicClient, userInstall, interactionsEndpointUrl } = application;
  const { reader } = app.db;
  const inGuilds = { in: contents.guilds.map((guild) => guild.id) };
  const [role, installations, rows, everyone] = await Promise.all([
    ownRoleOf(id, [app, ...(box ? [box.app] : [])]),
    reader.installation.findMany({ where: { applicationId: id, guildId: inGuilds } }),
    reader.applicationCommand.findMany({
      where: { applicationId: id, scopeId: GLOBAL_SCOPE },
      orderBy: { id: 'asc' },
    }),
    reader.commandPermission.count({ where: { commandId: id, targetId: inGuilds, allow: true } }),
  ]);
  const guilds = contents.guilds.filter((guild) => installations.some(({ guildId }) => guildId === guild.id));
  const ownerId = application.ownerUserId ?? application.ownerTeam?.ownerUserId ?? 0n;
  const isForEveryone = everyone > 0 || guilds.every(({ isOnBox }) => isOnBox);
  const seed = withoutDefaults<ApplicationSeed>({
    name: application.name,
    description,
    owner: contents.nameOfPerson.get(ownerId),
    guilds: guilds.length === contents.guilds.length ? undefined : guilds.map(({ name }) => name),
    permissions: role ? unlessEmpty(permissionNames(role.permissions)) : undefined,
    privilegedIntents: intentsOf(application),
    publicClient,
    userInstall,
    redirectUris: unlessEmpty(application.redirectUris as string[]),
    interactionsEndpointUrl,
    commands: unlessEmpty(rows.map((row) => shortBodyOf(commandRecord(row), application) as CommandBody)),
    commandsFor: isForEveryone ? undefined : 'owner',
  });
  return application.public ? seed : { ...seed, public: false };
}

/** A bot has one in each server. */
async function ownRoleOf(applicationId: bigint, apps: readonly AppContext[]): Promise<Role | undefined> {
  const where = { applicationId, managed: true };
  const found = await Promise.all(
    apps.map(({ db }) => db.reader.role.findFirst({ where, orderBy: { guildId: 'asc' } })),
  );
  return found.find((role) => role !== null) ?? undefined;
}

/** Undefined if the application may use all of them. */
function intentsOf(application: Application): ApplicationSeed['privilegedIntents'] {
  const { guildMembersIntent, presencesIntent, messageContentIntent } = application;
  if (guildMembersIntent && presencesIntent && messageContentIntent) return undefined;
  return [
    ...(guildMembersIntent ? (['GUILD_MEMBERS'] as const) : []),
    ...(presencesIntent ? (['PRESENCES'] as const) : []),
    ...(messageContentIntent ? (['MESSAGE_CONTENT'] as const) : []),
  ];
}
