import { type Command, InvalidArgumentError } from 'commander';
import { chooseApplication } from '../app/choose.js';
import { examples } from '../examples.js';
import { exitWith } from '../failure.js';
import { askServer } from '../remote/graphql.js';
import { type ServerOptions, withServer } from '../remote/options.js';
import { type Forwarded, forward, type Outcome } from './forward.js';

interface Options extends ServerOptions {
  forwardTo: string;
  json?: true;
}

const FORWARDED = `subscription Listen($applicationId: ID!) {
  interactionForwarded(applicationId: $applicationId) { id body signature timestamp }
}`;

const TAKE = `mutation TakeForwarded($input: TakeForwardedInput!) {
  takeForwarded(input: $input) { taken }
}`;

const FAIL = `mutation FailForwarded($input: FailForwardedInput!) {
  failForwarded(input: $input) { interaction { id } }
}`;

export function addListenCommand(program: Command): void {
  withServer(program.command('listen'))
    .summary('receive the interactions of an application on this machine')
    .description(
      'Receives the interactions of an application over an outgoing connection, and posts them to a local endpoint. ' +
        'While it runs, neither the endpoint nor the bot of the application gets them. No tunnel is needed.',
    )
    .requiredOption('--forward-to <url>', 'the local endpoint; http:// may be left out', urlOf)
    .option('--json', 'print a line of JSON for each interaction')
    .addHelpText(
      'after',
      examples(
        ['causeway listen --forward-to localhost:3000/interactions', 'post them to a local server'],
        ['causeway trigger lunch --channel ID', 'in another terminal, run a command as yourself'],
      ),
    )
    .action((options: Options) => exitWith(() => listen(options)));
}

/** @throws {InvalidArgumentError} */
function urlOf(text: string): string {
  const hasScheme = /^https?:\/\//.test(text);
  const url = hasScheme ? text : `http://${/^\d+$/.test(text) ? 'localhost:' : ''}${text}`;
  if (URL.canParse(url)) return new URL(url).href;
  throw new InvalidArgumentError('Write a URL, for example localhost:3000/interactions.');
}

async function listen(options: Options): Promise<number> {
  const { forwardTo, json, url } = options;
  const applicationId = await chooseApplication(options);
  const { subscribe } = await import('../remote/subscribe.js');
  const say = (text: string) => process.stderr.write(`${text}\n`);
  await subscribe<{ interactionForwarded: Forwarded }>(options, {
    query: FORWARDED,
    variables: { applicationId },
    onOpen: () => say(`Listening: interactions of ${applicationId} go to ${forwardTo}. Ctrl+C ends it.`),
    onLost: () => say(`The connection to ${url} is lost; trying again.`),
    onData: ({ interactionForwarded }) => {
      handle(interactionForwarded).catch((error: unknown) =>
        say(error instanceof Error ? error.message : String(error)),
      );
    },
  });
  return 0;

  async function handle(forwarded: Forwarded): Promise<void> {
    const input = { interactionId: forwarded.id };
    const { takeForwarded } = await askServer<{ takeForwarded: { taken: boolean } }>(options, TAKE, { input });
    if (!takeForwarded.taken) {
      say(`Interaction ${forwarded.id} came too late: it went to the endpoint or the bot.`);
      return;
    }
    const outcome = await forward(forwarded, { to: forwardTo, instance: url });
    process.stdout.write(json ? `${JSON.stringify(outcome)}\n` : lineOf(outcome));
    if (outcome.failure === null) return;
    const reason = outcome.failure.slice(0, 500);
    await askServer(options, FAIL, { input: { ...input, reason, status: outcome.status } });
  }
}

function lineOf({ at, name, person, status, durationMs, failure }: Outcome): string {
  const result = status === null ? 'no answer' : String(status);
  const line = `${at.slice(11, 19)}  ${name}  by ${person}  ${result} in ${durationMs} ms\n`;
  return failure === null ? line : `${line}          ${failure}\n`;
}
