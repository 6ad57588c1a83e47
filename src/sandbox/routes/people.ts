import { z } from 'zod';
import type { CallContext } from '../../domain/call.js';
import { openDirectChannel } from '../../domain/channels/index.js';
import { joinGuild, leaveGuild } from '../../domain/guilds/index.js';
import { createInvite } from '../../domain/invites/index.js';
import { addReaction, deleteMessage, removeReaction, startTyping } from '../../domain/messages/index.js';
import { joinVoice, leaveVoice } from '../../domain/voice/index.js';
import { MAX_ID, parseSnowflake } from '../../infra/ids/ids.js';
import { SandboxError } from '../errors.js';
import { Autocompletion, autocomplete, Invocation, runCommand } from '../people/commands.js';
import { Submission, submit, Use, use } from '../people/components.js';
import { Authorization, authorize } from '../people/consent.js';
import { Id, idOf } from '../people/ids.js';
import { edit, NewTestMessage, nextEdit, nextMessage, send, TestEdit } from '../people/messages.js';
import { explaining } from '../people/refusals.js';
import { type Route, route } from '../route.js';
import type { Sandbox } from '../sandbox.js';
import { LONGEST_WAIT_MS } from '../waiting.js';
import type { World } from '../worlds/world.js';

const Wait = z.object({
  withinMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(LONGEST_WAIT_MS)
    .default(5_000)
    .describe('How long to wait for the bot, in milliseconds of real time.'),
});

const MessageKey = z.strictObject({ channel: z.string(), message: Id });
const Reaction = MessageKey.extend({ emoji: z.string().describe('Such as 👍, or name:id.') });

/**
 * The person's world and call.
 * @param channel where they act
 */
async function actor(sandbox: Sandbox, { world: id, person = '' }: Readonly<Record<string, string>>, channel?: string) {
  const world = sandbox.world(id);
  return { world, call: await (channel === undefined ? world.as(person) : world.asIn(person, channel)) };
}

/** Runs `work` as the person. A refusal says what they may do in the channel. */
async function inChannel<Result>(
  sandbox: Sandbox,
  params: Readonly<Record<string, string>>,
  channel: string,
  work: (world: World, call: CallContext) => Promise<Result>,
): Promise<Result> {
  const { world, call } = await actor(sandbox, params, channel);
  return explaining(world, call, channel, () => work(world, call));
}

/**
 * Like {@link inChannel}, where the platform has interactions.
 * @throws SandboxError ON_BOX
 */
function interacting<Result>(
  sandbox: Sandbox,
  params: Readonly<Record<string, string>>,
  channel: string,
  work: (world: World, call: CallContext) => Promise<Result>,
): Promise<Result> {
  return inChannel(sandbox, params, channel, async (world, call) => {
    if (call.boxRoutes.isInBox) {
      throw new SandboxError(409, 'ON_BOX', 'Commands, buttons and modals do not work in a server on a box.');
    }
    return work(world, call);
  });
}

const AT = '/worlds/:world/people/:person';

const interactionRoutes = [
  route(`POST ${AT}/commands`, {
    summary: "Runs a command and waits for the bot's answer.",
    body: Invocation,
    query: Wait,
    action: ({ command, channel }) => `runs /${command} in ${channel}`,
    run: (sandbox, { params, body, query }) =>
      interacting(sandbox, params, body.channel, (world, call) => runCommand(world, call, body, query.withinMs)),
  }),
  route(`POST ${AT}/autocompletions`, {
    summary: 'Asks for the choices of an option.',
    body: Autocompletion,
    query: Wait,
    action: ({ command, focused }) => `types ${focused} of /${command}`,
    run: (sandbox, { params, body, query }) =>
      interacting(sandbox, params, body.channel, (world, call) => autocomplete(world, call, body, query.withinMs)),
  }),
  route(`POST ${AT}/components`, {
    summary: "Clicks a button or chooses in a select, and waits for the bot's answer.",
    body: Use,
    query: Wait,
    action: ({ component, values }) =>
      values ? `chooses ${values.join(', ')} in "${component}"` : `clicks "${component}"`,
    run: (sandbox, { params, body, query }) =>
      interacting(sandbox, params, body.channel, (world, call) => use(world, call, body, query.withinMs)),
  }),
  route(`POST ${AT}/modals`, {
    summary: "Submits a modal and waits for the bot's answer.",
    body: Submission,
    query: Wait,
    action: ({ values }) => `submits a modal with ${Object.keys(values).join(', ')}`,
    async run(sandbox, { params, body, query }) {
      const { world, call } = await actor(sandbox, params);
      return submit(world, call, body, query.withinMs);
    },
  }),
];

const messageRoutes = [
  route(`POST ${AT}/messages`, {
    summary: 'Sends a message.',
    body: NewTestMessage,
    action: ({ channel, content }) => `writes in ${channel}: ${content ?? '(files)'}`,
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, (world, call) => send(world, call, body)),
  }),
  route(`PATCH ${AT}/messages`, {
    summary: 'Edits an own message.',
    body: TestEdit,
    action: ({ channel, content }) => `edits a message in ${channel}: ${content}`,
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, (world, call) => edit(world, call, body)),
  }),
  route(`DELETE ${AT}/messages`, {
    summary: 'Deletes a message.',
    body: MessageKey,
    action: ({ channel }) => `deletes a message in ${channel}`,
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, async (world, call) => {
        const { id: channelId } = await world.channel(body.channel);
        await deleteMessage(call, { channelId, messageId: idOf(body.message) });
        return undefined;
      }),
  }),
  route(`PUT ${AT}/reactions`, {
    summary: 'Adds a reaction.',
    body: Reaction,
    action: ({ emoji }) => `reacts with ${emoji}`,
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, async (world, call) => {
        const { id: channelId } = await world.channel(body.channel);
        await addReaction(call, { channelId, messageId: idOf(body.message), emoji: body.emoji });
        return undefined;
      }),
  }),
  route(`DELETE ${AT}/reactions`, {
    summary: 'Removes an own reaction.',
    body: Reaction,
    action: ({ emoji }) => `removes the reaction ${emoji}`,
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, async (world, call) => {
        const { id: channelId } = await world.channel(body.channel);
        await removeReaction(call, { channelId, messageId: idOf(body.message), emoji: body.emoji });
        return undefined;
      }),
  }),
  route(`POST ${AT}/typing`, {
    summary: 'Starts typing.',
    body: z.strictObject({ channel: z.string() }),
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, async (world, call) => {
        await startTyping(call, { channelId: (await world.channel(body.channel)).id });
        return undefined;
      }),
  }),
  route(`GET ${AT}/next-message`, {
    summary: 'Waits for the next message that the person sees, also an ephemeral one.',
    query: Wait.extend({
      channel: z.string(),
      after: Id.default('0').describe('Only messages with higher ids.'),
      from: z.string().default('bots').describe('`bots`, `anyone`, or a name.'),
    }),
    async run(sandbox, { params, query: { after, withinMs, ...wait } }) {
      const { world, call } = await actor(sandbox, params, wait.channel);
      return nextMessage(world, call, { ...wait, after: parseSnowflake(after) ?? MAX_ID }, withinMs);
    },
  }),
  route(`GET ${AT}/next-edit`, {
    summary: 'Waits until a message was edited.',
    query: Wait.extend({
      ...MessageKey.shape,
      since: z.string().optional().describe('Its `edited_timestamp` so far. Default: not edited.'),
    }),
    async run(sandbox, { params, query: { withinMs, since = null, ...key } }) {
      const { world, call } = await actor(sandbox, params, key.channel);
      return nextEdit(world, call, { ...key, since }, withinMs);
    },
  }),
];

const membershipRoutes = [
  route(`POST ${AT}/invites`, {
    summary: 'Creates an invite.',
    body: z.strictObject({ channel: z.string() }),
    run: (sandbox, { params, body }) =>
      inChannel(sandbox, params, body.channel, async (world, call) => {
        const { code } = await createInvite(call, (await world.channel(body.channel)).id);
        return { code };
      }),
  }),
  route(`POST ${AT}/joins`, {
    summary: 'Joins a server with an invite.',
    body: z.strictObject({ code: z.string() }),
    action: ({ code }) => `joins with the invite ${code}`,
    async run(sandbox, { params, body }) {
      const { call } = await actor(sandbox, params);
      const { id, name } = await joinGuild(call, body.code);
      return { id: String(id), name };
    },
  }),
  route(`POST ${AT}/leaves`, {
    summary: 'Leaves a server.',
    body: z.strictObject({ guild: z.string().optional().describe('Default: the first server.') }),
    action: () => 'leaves the server',
    async run(sandbox, { params, body }) {
      const world = sandbox.world(params.world);
      const { id } = world.guild(body.guild);
      await leaveGuild(await world.as(params.person ?? '', id), id);
    },
  }),
  route(`PUT ${AT}/voice`, {
    summary: 'Joins a voice channel, or leaves it.',
    body: z.strictObject({
      channel: z.string().nullable().describe('Null to leave.'),
      guild: z.string().optional().describe('The server to leave voice in. Default: the first one.'),
    }),
    action: ({ channel }) => (channel === null ? 'leaves voice' : `joins voice in ${channel}`),
    async run(sandbox, { params, body }) {
      const world = sandbox.world(params.world);
      const { person = '' } = params;
      if (body.channel === null) {
        const { id } = world.guild(body.guild);
        await leaveVoice(await world.as(person, id), id);
      } else {
        const { id: channelId, guildId } = await world.channel(body.channel);
        const { id } = world.person(person, guildId);
        const connection = world.at(guildId).app.connections.openForRequests(id, async () => true);
        await joinVoice(await world.as(person, guildId), { channelId }, connection);
      }
    },
  }),
  route(`POST ${AT}/direct-channels`, {
    summary: 'Opens the direct channel with a bot or a person.',
    body: z.strictObject({ with: z.string().describe('The name of an application or a person, or an id.') }),
    async run(sandbox, { params, body }) {
      const { world, call } = await actor(sandbox, params);
      const others = [...world.applications, ...world.people.values()];
      const other = others.find(({ name, id }) => name === body.with || String(id) === body.with);
      const { channel } = await openDirectChannel(call, other?.id ?? world.person(body.with).id);
      return { id: String(channel.id) };
    },
  }),
];

const authorizationRoutes = [
  route(`POST ${AT}/authorizations`, {
    summary: 'Authorizes or installs an application on the consent screen.',
    body: Authorization,
    action: ({ decision, url }) => `${decision === 'cancel' ? 'refuses' : 'opens'} ${new URL(url).pathname}`,
    run(sandbox, { params, body }) {
      const world = sandbox.world(params.world);
      return authorize(world.app, world.person(params.person ?? ''), body);
    },
  }),
];

export const personRoutes: readonly Route[] = [
  ...interactionRoutes,
  ...messageRoutes,
  ...membershipRoutes,
  ...authorizationRoutes,
];
