import { permissionsThere } from '../../../src/domain/guilds/index.js';
import { ALL_PERMISSIONS, Permission } from '../../../src/domain/permissions.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../../harness/people.js';
import { addCrowd } from '../../harness/rows.js';
import { type SelfHosted, untilBox } from '../../harness/self-hosted.js';
import type { TestServer } from '../../harness/server.js';

/** Where a guild lives. */
export type Side = 'cloud' | 'box';

/** A guild to be moderated, wherever it lives, with a bot in it that may do everything but is not above what channels deny. */
export interface Scene {
  side: Side;
  /** Whose database the guild is in. */
  home: TestServer;
  guild: MadeGuild;
  /** Whose guild it is, on its own side. */
  keeper: Person;
  /** Two members, of whom the first has a role and is in voice. */
  people: [Person, Person];
  bot: MadeApplication;
  /** A channel that `@everyone` does not see, and the first member's role does. */
  crewChannelId: string;
}

/** So many members that their list comes in two chunks. */
const CROWD = 1_100;

let scenes = 0;

/** Makes a guild on one side, and resolves once the cloud knows all of it. */
export async function openScene(all: SelfHosted, side: Side): Promise<Scene> {
  scenes += 1;
  const home = all[side];
  const keeper = side === 'cloud' ? all.owner : all.keeper;
  const guild = side === 'cloud' ? await createGuild(keeper, 'Attic') : await all.makeGuild('Attic');
  const bot = await createApplication(all.owner, `Lamplighter ${scenes}`);
  await install(all.owner, bot, guild, { permissions: String(ALL_PERMISSIONS & ~Permission.Administrator) });
  const people = [await newMember(`grace${scenes}`), await newMember(`linus${scenes}`)] satisfies Scene['people'];
  const crewChannelId = await makeCrew();
  await people[0].graphql('mutation ($input: ChannelIdInput!) { joinVoice(input: $input) { voiceState } }', {
    input: { channelId: guild.voiceChannelId },
  });
  await addCrowd(home.app, BigInt(guild.id), CROWD);
  return { side, home, guild, keeper, people, bot, crewChannelId };

  async function newMember(name: string): Promise<Person> {
    const person = await signUp(home, name);
    await invite(keeper, guild, person);
    return person;
  }

  /** A role above the bot's, and a channel that it sees. */
  async function makeCrew(): Promise<string> {
    const view = String(Permission.ViewChannel);
    const { createRole } = await keeper.graphql(
      'mutation ($input: CreateRoleInput!) { createRole(input: $input) { role { id } } }',
      { input: { guildId: guild.id, name: 'Officers', permissions: String(Permission.ManageMessages) } },
    );
    const roleId = createRole.role.id;
    await keeper.graphql('mutation ($input: SetMemberRolesInput!) { setMemberRoles(input: $input) { __typename } }', {
      input: { guildId: guild.id, userId: people[0].id, roleIds: [roleId] },
    });
    const overwrites = [
      { targetId: guild.id, targetType: 'ROLE', deny: view },
      { targetId: roleId, targetType: 'ROLE', allow: view, deny: String(Permission.AddReactions) },
    ];
    const { createChannel } = await keeper.graphql(
      'mutation ($input: CreateChannelInput!) { createChannel(input: $input) { channel { id } } }',
      { input: { guildId: guild.id, name: 'officers', overwrites } },
    );
    const { id } = createChannel.channel;
    if (side === 'box') await knowsChannel(all, id);
    return id;
  }
}

/** Settles once the cloud knows of a channel on the box. */
export function knowsChannel({ cloud, boxId }: SelfHosted, channelId: string): Promise<void> {
  return untilBox(cloud, boxId, async () => (await cloud.app.boxRoutes.ofChannel(BigInt(channelId))) !== null);
}

const { ViewChannel, SendMessages, AddReactions, ManageMessages } = Permission;

/** What is compared of permissions: bits of which none takes another one along. */
const COMPARED = ViewChannel | SendMessages | AddReactions | ManageMessages;

/** What the cloud says that somebody may do: by channel and user, 0 where the channel is not seen. */
export async function permissionsOf(
  { cloud: { app } }: SelfHosted,
  { guild, crewChannelId, keeper, people, bot }: Scene,
): Promise<Record<string, Record<string, string>>> {
  const users = [keeper, ...people, bot].map(({ id }) => id);
  const bitsOf = async (channelId: string, userId: string) => {
    const where = { guildId: BigInt(guild.id), channelId: BigInt(channelId) };
    const there = await permissionsThere(app.guilds, where, BigInt(userId), app.clock.now());
    return [userId, String((there?.bits ?? 0n) & COMPARED)] as const;
  };
  const channelOf = async (channelId: string) =>
    [channelId, Object.fromEntries(await Promise.all(users.map((userId) => bitsOf(channelId, userId))))] as const;
  return Object.fromEntries(await Promise.all([guild.textChannelId, crewChannelId].map(channelOf)));
}
