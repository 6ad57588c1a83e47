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

export type Side = 'cloud' | 'box';

/** A guild to moderate. The bot in it has all permissions that channels do not deny. */
export interface Scene {
  side: Side;
  home: TestServer;
  guild: MadeGuild;
  keeper: Person;
  /** Two members. The first has a role and is in voice. */
  people: [Person, Person];
  bot: MadeApplication;
  /** A channel that is hidden from `@everyone` and visible for the role of the first member. */
  crewChannelId: string;
}

/** Member lists of this size take two chunks. */
const CROWD = 1_100;

let scenes = 0;

/** Makes a guild on one side. Resolves once the cloud knows all of it. */
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

export function knowsChannel({ cloud, boxId }: SelfHosted, channelId: string): Promise<void> {
  return untilBox(cloud, boxId, async () => (await cloud.app.boxRoutes.ofChannel(BigInt(channelId))) !== null);
}

const { ViewChannel, SendMessages, AddReactions, ManageMessages } = Permission;

/** The compared permissions. None of these bits implies another one. */
const COMPARED = ViewChannel | SendMessages | AddReactions | ManageMessages;

/** The permissions that the cloud computes, by channel and user. They are 0 for hidden channels. */
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
