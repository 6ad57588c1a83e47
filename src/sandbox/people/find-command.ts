import { ApplicationCommandType } from 'discord-api-types/v10';
import type { CallContext } from '../../domain/call.js';
import { runnableCommandIds } from '../../domain/command-permissions/index.js';
import { type CommandRecord, commandRecord, GLOBAL_SCOPE } from '../../domain/commands/index.js';
import type { Channel } from '../../infra/database/index.js';
import { topics } from '../../infra/streams/topics.js';
import { notFound, SandboxError } from '../errors.js';
import { until } from '../waiting.js';
import type { BuiltApplication } from '../worlds/build.js';
import type { World } from '../worlds/world.js';
import { idOf } from './ids.js';

const { ChatInput, User, Message, PrimaryEntryPoint } = ApplicationCommandType;

/** In texts, after the word "command". */
const KINDS: Record<ApplicationCommandType, string> = {
  [ChatInput]: 'slash',
  [User]: 'user',
  [Message]: 'message',
  [PrimaryEntryPoint]: 'entry point',
};

interface WantedCommand {
  /** The name, with those of subcommands. */
  command: string;
  /** Default: all. */
  application?: string | undefined;
  type: ApplicationCommandType;
}

/**
 * Waits as long as an application has registered no command so far, because its bot may still be starting.
 * @returns the command, and the names of its subcommands
 * @throws SandboxError UNKNOWN_COMMAND with the commands that exist, AMBIGUOUS_COMMAND
 */
export async function findCommand(
  world: World,
  call: CallContext,
  { id: channelId, guildId }: Channel,
  wanted: WantedCommand,
  withinMs: number,
): Promise<{ command: CommandRecord; path: string[] }> {
  const { application, type } = wanted;
  const among = application === undefined ? world.applications : [world.application(application)];
  const words = wanted.command.replace(/^\//, '');
  const [name = '', ...path] = type === ChatInput ? words.split(/\s+/) : [words];
  const where = {
    applicationId: { in: among.map(({ id }) => id) },
    scopeId: { in: [GLOBAL_SCOPE, guildId ?? GLOBAL_SCOPE] },
  };
  let registered: CommandRecord[] = [];
  const look = async () => {
    const rows = await world.app.db.reader.applicationCommand.findMany({ where, orderBy: { id: 'asc' } });
    registered = rows.map(commandRecord);
    const found = registered.filter((one) => one.type === type && one.name === name);
    return found.length > 0 || withoutCommands(among, registered).length === 0 ? found : null;
  };
  const streams = among.map(({ id }) => topics.application(id));
  const found = (await until(world.app, streams, withinMs, look)) ?? [];
  const owners = among.filter(({ id }) => found.some(({ applicationId }) => applicationId === id));
  const command = owners.length > 1 ? await runnableOf(call, channelId, found, owners) : found[0];
  if (command) return { command, path };
  throw unknownCommand(wanted, registered, withoutCommands(among, registered));
}

function withoutCommands(
  applications: readonly BuiltApplication[],
  registered: readonly CommandRecord[],
): BuiltApplication[] {
  return applications.filter(({ id }) => !registered.some(({ applicationId }) => applicationId === id));
}

/** @throws SandboxError AMBIGUOUS_COMMAND if the person can run commands of several applications */
async function runnableOf(
  call: CallContext,
  channelId: bigint,
  found: readonly CommandRecord[],
  owners: readonly BuiltApplication[],
): Promise<CommandRecord | undefined> {
  const runnableIds = await runnableCommandIds(call, { channelId });
  const runnable = found.filter(({ id }) => runnableIds.includes(id));
  const names = owners
    .filter(({ id }) => runnable.some(({ applicationId }) => applicationId === id))
    .map(({ name }) => name);
  // The platform says why the person can run none.
  const command = runnable[0] ?? found[0];
  if (names.length <= 1) return command;
  throw new SandboxError(
    409,
    'AMBIGUOUS_COMMAND',
    `Several applications have the command "${command?.name}". Set application to one of: ${names.join(', ')}.`,
  );
}

function unknownCommand(
  { command, type }: WantedCommand,
  registered: readonly CommandRecord[],
  silent: readonly BuiltApplication[],
): SandboxError {
  const known = registered.map((one) => (one.type === type ? one.name : `${one.name} (${KINDS[one.type]} command)`));
  const texts = [
    ...(known.length > 0 ? [`There is no ${KINDS[type]} command "${command}". There are: ${known.join(', ')}.`] : []),
    ...silent.map(({ name }) => `${name} has registered no commands. Has the bot started?`),
  ];
  return new SandboxError(404, 'UNKNOWN_COMMAND', texts.join(' '));
}

interface CommandTarget {
  id: bigint;
  type: ApplicationCommandType.User | ApplicationCommandType.Message;
}

/**
 * @param target a person or an application, or the id of a message
 * @throws SandboxError UNKNOWN_USER
 */
export function commandTarget({ people, applications }: World, target: string): CommandTarget {
  const users = [...people.values(), ...applications];
  const user = users.find(({ name, id }) => name === target || String(id) === target);
  if (user) return { id: user.id, type: User };
  if (/^\d+$/.test(target)) return { id: idOf(target), type: Message };
  throw notFound(
    'user',
    target,
    users.map(({ name }) => name),
  );
}
