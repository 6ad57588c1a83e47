import { setTimeout } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { examples } from '../examples.js';
import { exitWith, Failure } from '../failure.js';
import { askServer } from '../remote/graphql.js';
import { type ServerOptions, withServer } from '../remote/options.js';
import { type DeclaredOption, givenOptions } from './given-options.js';

interface Options extends ServerOptions {
  channel: string;
  target?: string;
  timeout: number;
  json?: true;
}

interface RunnableCommand {
  id: string;
  version: string;
  name: string;
  options: DeclaredOption[];
  application: { id: string; name: string };
}

interface Interaction {
  id: string;
  state: 'DELIVERING' | 'DELIVERED_HTTP' | 'DELIVERED_GATEWAY' | 'DEFERRED' | 'ANSWERED' | 'FAILED' | 'EXPIRED';
  failure: string | null;
  modal: { title?: string } | null;
  message: { content: string; ephemeral: boolean; embeds: { title?: string; description?: string }[] } | null;
}

const ANSWER = 'id state failure modal message { content ephemeral embeds }';

const RUNNABLE = `query Runnable($channelId: ID!) {
  runnableCommands(channelId: $channelId) { id version name options application { id name } }
}`;

const INVOKE = `mutation Trigger($input: InvokeCommandInput!) {
  invokeCommand(input: $input) { interaction { ${ANSWER} } }
}`;

const PROGRESS = `query Progress($id: ID!) { interaction(id: $id) { ${ANSWER} } }`;

const LOOK_EVERY_MS = 300;

const DEFAULT_TIMEOUT_S = 30;

export function addTriggerCommand(program: Command): void {
  withServer(program.command('trigger'))
    .summary('run a command as yourself')
    .description(
      'Runs a command in a channel as the owner of the token, with the same checks as in a client, and prints the answer.',
    )
    .argument('<command>', 'name of the command, with a subcommand in the same argument: "config set"')
    .argument('[options...]', 'options of the command, as name=value')
    .requiredOption('--channel <id>', 'the channel in which it runs')
    .option('--target <id>', 'the user or message, for a command of a context menu')
    .option('--timeout <seconds>', 'how long to wait for the answer', secondsOf, DEFAULT_TIMEOUT_S)
    .option('--json', 'print the interaction as JSON')
    .addHelpText(
      'after',
      examples(
        ['causeway trigger ping --channel 1412345678901234567', 'run /ping'],
        ['causeway trigger lunch dish="Onion tart" --channel 1412345678901234567', 'run it with an option'],
      ),
    )
    .action((command: string, pairs: string[], options: Options) => exitWith(() => trigger(command, pairs, options)));
}

/** @throws {InvalidArgumentError} */
function secondsOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('Write a number of seconds above 0.');
}

async function trigger(words: string, pairs: readonly string[], options: Options): Promise<number> {
  const { channel: channelId, target: targetId } = options;
  const [command, path] = await findCommand(words.replace(/^\//, ''), options);
  const input = {
    channelId,
    commandId: command.id,
    version: command.version,
    options: givenOptions(command.options, path, pairs),
    ...(targetId === undefined ? {} : { targetId }),
  };
  const { invokeCommand } = await askServer<{ invokeCommand: { interaction: Interaction } }>(options, INVOKE, {
    input,
  });
  const interaction = await answerTo(invokeCommand.interaction, options);
  process.stdout.write(options.json ? `${JSON.stringify(interaction)}\n` : textOf(interaction));
  return interaction.state === 'ANSWERED' ? 0 : 1;
}

/** @returns the command, and its subcommand group and subcommand */
async function findCommand(words: string, options: Options): Promise<[RunnableCommand, string[]]> {
  const { runnableCommands } = await askServer<{ runnableCommands: RunnableCommand[] }>(options, RUNNABLE, {
    channelId: options.channel,
  });
  const { application } = options;
  const own = runnableCommands.filter((one) => application === undefined || one.application.id === application);
  const [first = '', ...path] = words.split(/\s+/);
  // The name of a context menu command may have spaces.
  const found = own.filter(({ name }) => name === first || name === words);
  const [only] = found;
  if (!only) {
    const names = own.map(({ name }) => name).join(', ');
    throw new Failure(`you cannot run ${words} in this channel${names === '' ? '' : `; you can run ${names}`}`);
  }
  if (found.length > 1) {
    const lines = found.map((one) => `  ${one.application.id}  ${one.application.name}`);
    throw new Failure(`several applications have ${words}; pass --application\n${lines.join('\n')}`);
  }
  return [only, only.name === words ? [] : path];
}

async function answerTo(begun: Interaction, options: Options): Promise<Interaction> {
  const endsAt = performance.now() + options.timeout * 1_000;
  let interaction = begun;
  while (isPending(interaction)) {
    if (performance.now() > endsAt) {
      throw new Failure(`no answer within ${options.timeout} s; the state is ${interaction.state} (pass --timeout)`);
    }
    await setTimeout(LOOK_EVERY_MS);
    const found = await askServer<{ interaction: Interaction | null }>(options, PROGRESS, { id: interaction.id });
    interaction = found.interaction ?? interaction;
  }
  return interaction;
}

function isPending({ state }: Interaction): boolean {
  switch (state) {
    case 'DELIVERING':
    case 'DELIVERED_HTTP':
    case 'DELIVERED_GATEWAY':
    case 'DEFERRED':
      return true;
    case 'ANSWERED':
    case 'FAILED':
    case 'EXPIRED':
      return false;
  }
}

function textOf({ failure, modal, message }: Interaction): string {
  if (failure !== null) return `No answer: ${failure}\n`;
  if (modal) return `Answered with the modal ${modal.title ?? ''}\n`;
  if (!message) return 'Answered.\n';
  const embeds = message.embeds.map(({ title, description }) => [title, description].filter(Boolean).join(': '));
  const note = message.ephemeral ? ['(only you can see this)'] : [];
  return `${[message.content, ...embeds, ...note].filter((line) => line !== '').join('\n')}\n`;
}
