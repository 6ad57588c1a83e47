// The content of the demo: users, a team, applications, a server, a box, and a conversation. Everything uses the public
// interface.
import { type GraphQL, signUp } from '../client.js';

export const PASSWORD = 'causeway-demo';

export interface Application {
  id: string;
  name: string;
  botToken: string;
}

export interface World {
  /** Owns everything. */
  ada: GraphQL;
  /** A member of the team and the server, without pending invitations. */
  grace: GraphQL;
  /** Answers hello. */
  hello: Application;
  /** The team's application, with a command. */
  lunch: Application;
  teamId: string;
  guildId: string;
  channelId: string;
  kitchenId: string;
  boxId: string;
}

/** Makes the content on an empty instance. */
export async function makeWorld(api: string): Promise<World> {
  const [ada, grace] = [await person(api, 'ada'), await person(api, 'grace')];
  const teamId = await makeTeam(ada, grace);
  const hello = await makeApplication(ada, 'Hello Bot', 'Replies to messages that say hello.');
  const lunch = await makeApplication(ada, 'Lunch Bot', 'Asks who is joining you for lunch.', teamId);
  await ada('mutation ($i: InviteTesterInput!) { inviteTester(input: $i) { tester { state } } }', {
    i: { applicationId: hello.id, email: 'grace@demo.example' },
  });
  const place = await makeServer(ada, grace);
  for (const { id } of [hello, lunch]) await install(ada, id, place.guildId);
  return { ada, grace, hello, lunch, teamId, ...place, boxId: await makeBox(ada) };
}

async function person(api: string, name: string): Promise<GraphQL> {
  const { graphql } = await signUp(api, { name, email: `${name}@demo.example`, password: PASSWORD });
  return graphql;
}

async function makeTeam(ada: GraphQL, grace: GraphQL): Promise<string> {
  const { createTeam } = await ada<{ createTeam: { team: { id: string } } }>(
    'mutation { createTeam(input: { name: "Harbour Crew" }) { team { id } } }',
  );
  const { inviteTeamMember } = await ada<{ inviteTeamMember: { invitation: { id: string } } }>(
    'mutation ($i: InviteTeamMemberInput!) { inviteTeamMember(input: $i) { invitation { id } } }',
    { i: { teamId: createTeam.team.id, email: 'grace@demo.example', role: 'DEVELOPER' } },
  );
  await grace('mutation ($i: InvitationIdInput!) { acceptTeamInvitation(input: $i) { invitation { id } } }', {
    i: { invitationId: inviteTeamMember.invitation.id },
  });
  return createTeam.team.id;
}

async function makeApplication(ada: GraphQL, name: string, description: string, teamId?: string): Promise<Application> {
  const { createApplication } = await ada<{
    createApplication: { application: { id: string }; botToken: string };
  }>('mutation ($i: CreateApplicationInput!) { createApplication(input: $i) { application { id } botToken } }', {
    i: { name, description, teamId },
  });
  return { id: createApplication.application.id, name, botToken: createApplication.botToken };
}

interface Guild {
  id: string;
  channels: { id: string; type: number }[];
}

async function makeServer(ada: GraphQL, grace: GraphQL) {
  const { createGuild } = await ada<{ createGuild: { guild: Guild } }>(
    'mutation { createGuild(input: { name: "Demo Harbour" }) { guild { id channels { id type } } } }',
  );
  const { id: guildId, channels } = createGuild.guild;
  const channelId = channels.find(({ type }) => type === 0)?.id ?? '';
  const { createChannel } = await ada<{ createChannel: { channel: { id: string } } }>(
    'mutation ($i: CreateChannelInput!) { createChannel(input: $i) { channel { id } } }',
    { i: { guildId, name: 'kitchen', type: 0, topic: "Today's lunch menu" } },
  );
  const { createInvite } = await ada<{ createInvite: { code: string } }>(
    'mutation ($i: ChannelIdInput!) { createInvite(input: $i) { code } }',
    { i: { channelId } },
  );
  await grace('mutation ($i: JoinGuildInput!) { joinGuild(input: $i) { guild { id } } }', {
    i: { code: createInvite.code },
  });
  await ada('mutation ($i: CreateRoleInput!) { createRole(input: $i) { role { id } } }', {
    i: { guildId, name: 'Captains', color: 0x3f4fd6, hoist: true },
  });
  return { guildId, channelId, kitchenId: createChannel.channel.id };
}

async function install(ada: GraphQL, applicationId: string, guildId: string): Promise<void> {
  await ada('mutation ($i: InstallApplicationInput!) { installApplication(input: $i) { installation { id } } }', {
    i: { applicationId, guildId, scopes: ['bot', 'applications.commands'], permissions: '0' },
  });
}

async function makeBox(ada: GraphQL): Promise<string> {
  const { createBox } = await ada<{ createBox: { box: { id: string } } }>(
    'mutation { createBox(input: { name: "Cellar" }) { box { id } } }',
  );
  return createBox.box.id;
}

export interface Said {
  id: string;
  author: { username: string };
  content: string;
}

/**
 * Lets users and online bots talk.
 * @returns the messages in #general, oldest first
 */
export async function talk(world: World): Promise<Said[]> {
  const { ada, grace, channelId } = world;
  await lunchTogether(world);
  await buildIsGreen(world);
  await say(grace, channelId, 'hello, bot');
  const said = await until(async () => {
    const messages = await readChannel(grace, channelId);
    return messages.at(-1)?.content.startsWith('Hello, ') && messages;
  });
  await ada('mutation ($i: ReactionInput!) { addReaction(input: $i) { message { id } } }', {
    i: { channelId, messageId: said.at(-1)?.id, emoji: '👋' },
  });
  return said;
}

/** All users may run the team's command. One runs it, and another presses its button. */
async function lunchTogether({ ada, grace, lunch, guildId, kitchenId }: World): Promise<void> {
  const commandId = await until(async () => {
    const { application } = await ada<{ application: { commands: { id: string }[] } }>(
      'query ($id: ID!) { application(id: $id) { commands { id } } }',
      { id: lunch.id },
    );
    return application.commands[0]?.id ?? false;
  });
  await ada('mutation ($i: SetCommandPermissionsInput!) { setCommandPermissions(input: $i) { __typename } }', {
    i: { guildId, applicationId: lunch.id, permissions: [{ type: 'ROLE', id: guildId, allow: true }] },
  });
  await say(grace, kitchenId, 'Who is hungry?');
  await say(ada, kitchenId, 'Always.');
  await grace('mutation ($i: InvokeCommandInput!) { invokeCommand(input: $i) { interaction { id } } }', {
    i: { channelId: kitchenId, commandId, options: [{ type: 3, name: 'dish', value: 'Onion tart' }] },
  });
  const question = await until(async () => {
    const [last] = (await readChannel(ada, kitchenId)).slice(-1);
    return last?.content.startsWith('Onion tart') && last;
  });
  await ada('mutation ($i: UseComponentInput!) { useComponent(input: $i) { interaction { id } } }', {
    i: { channelId: kitchenId, messageId: question.id, customId: 'join' },
  });
}

async function buildIsGreen({ ada, hello, channelId }: World): Promise<void> {
  const { createWebhook } = await ada<{ createWebhook: { url: string } }>(
    'mutation ($i: CreateWebhookInput!) { createWebhook(input: $i) { url } }',
    { i: { applicationId: hello.id, channelId, name: 'Builds' } },
  );
  await fetch(createWebhook.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ content: 'Build 42 is **green**.' }),
  });
}

async function say(person: GraphQL, channelId: string, content: string): Promise<void> {
  await person('mutation ($i: SendMessageInput!) { sendMessage(input: $i) { message { id } } }', {
    i: { channelId, content },
  });
}

async function readChannel(person: GraphQL, channelId: string): Promise<Said[]> {
  const { channel } = await person<{ channel: { messages: { edges: { node: Said }[] } } }>(
    'query ($id: ID!) { channel(id: $id) { messages(last: 20) { edges { node { id author { username } content } } } } }',
    { id: channelId },
  );
  return channel.messages.edges.map(({ node }) => node);
}

/** Repeats `ask` until it returns a value, for at most 30 seconds. */
async function until<T>(ask: () => Promise<T>): Promise<Exclude<T, false | undefined>> {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    const answer = await ask();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('no response within 30 seconds');
}
