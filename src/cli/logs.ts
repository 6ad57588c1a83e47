import type { Command } from 'commander';
import { chooseApplication } from './app/choose.js';
import { examples } from './examples.js';
import { exitWith } from './failure.js';
import { type ServerOptions, withServer } from './remote/options.js';

interface Options extends ServerOptions {
  json?: true;
}

interface Interaction {
  id: string;
  name: string;
  type: number;
  state: string;
  failure: string | null;
  user: { username: string };
  trace: { kind: string; at: string; status: number | null; durationMs: number | null; reason: string | null }[];
}

const UPDATES = `subscription Tail($applicationId: ID!) {
  interactionUpdated(applicationId: $applicationId) {
    id name type state failure user { username } trace { kind at status durationMs reason }
  }
}`;

const COMMAND = 2;

export function addLogsCommand(program: Command): void {
  const logs = program
    .command('logs')
    .summary('show what happens to an application')
    .description('Shows what happens to an application: its interactions, with each step of their delivery.')
    .addHelpText('after', examples(['causeway logs tail', 'follow the interactions of the application']));
  withServer(logs.command('tail'))
    .summary('follow the interactions of an application')
    .description('Prints each step of the interactions of an application as it happens, until it is interrupted.')
    .option('--json', 'print a line of JSON for each change, with all steps')
    .addHelpText(
      'after',
      examples(
        ['causeway logs tail', 'follow the application of causeway.app.yaml'],
        ['causeway logs tail --json | jq .state', 'print their states only'],
      ),
    )
    .action((options: Options) => exitWith(() => tail(options)));
}

async function tail(options: Options): Promise<number> {
  const applicationId = await chooseApplication(options);
  const { subscribe } = await import('./remote/subscribe.js');
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const shown = new ShownSteps();
  await subscribe<{ interactionUpdated: Interaction }>(options, {
    query: UPDATES,
    variables: { applicationId },
    onOpen: () => say(`Following the interactions of ${applicationId}. Ctrl+C ends it.`),
    onLost: () => say(`The connection to ${options.url} is lost; trying again. Steps until then are not shown.`),
    onData: ({ interactionUpdated }) => {
      const lines = options.json ? [JSON.stringify(interactionUpdated)] : shown.newLines(interactionUpdated);
      for (const line of lines) process.stdout.write(`${line}\n`);
    },
  });
  return 0;
}

/** Interactions whose steps are remembered. */
const MAX_REMEMBERED = 1_000;

/** An update has all steps of its interaction. Each is printed once. */
class ShownSteps {
  readonly #counts = new Map<string, number>();

  newLines({ id, name, type, user, trace }: Interaction): string[] {
    const before = this.#counts.get(id) ?? 0;
    this.#counts.delete(id);
    this.#counts.set(id, trace.length);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_REMEMBERED && oldest !== undefined) this.#counts.delete(oldest);
    const title = type === COMMAND ? `/${name}` : name;
    return trace.slice(before).map(({ kind, at, status, durationMs, reason }) => {
      const facts = [kind, status, durationMs === null ? null : `${durationMs} ms`, reason];
      return `${at.slice(11, 19)}  ${title}  by ${user.username}  ${facts.filter((fact) => fact !== null).join('  ')}`;
    });
  }
}
