import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { CLI, type Result, resultOf, runCli } from '../harness/cli.js';
import { putCommand } from '../harness/command-rows.js';
import { startEndpoint, type TestEndpoint } from '../harness/endpoint.js';
import { it } from '../harness/fixtures.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let endpoint: TestEndpoint;
let running: Command[];
let env: Record<string, string>;

it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  const made = await ada.graphql('mutation { createPersonalToken(input: { name: "CLI" }) { token } }');
  env = { CAUSEWAY_URL: server.origin, CAUSEWAY_TOKEN: made.createPersonalToken.token };
});
beforeEach(async () => {
  running = [];
  application = await createApplication(ada, 'Kitchen');
  await install(ada, application, guild);
  const options = [
    { type: 3, name: 'dish', description: 'What' },
    { type: 4, name: 'guests', description: 'How many' },
  ];
  await putCommand(server.app, BigInt(application.id), { name: `lunch${application.id}`, options });
  endpoint = await startEndpoint({ publicKey: application.publicKey });
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGINT');
  await Promise.all(running.map(({ result }) => result));
  await endpoint.close();
});

interface Command {
  child: ChildProcess;
  result: Promise<Result>;
  /** Resolves with the next line of both outputs that contains the text. */
  line(text: string): Promise<string>;
}

/** Starts a command that runs until it is interrupted. */
function start(...args: string[]): Command {
  const child = spawn(process.execPath, [CLI, ...args, '--application', application.id], {
    env: { PATH: process.env.PATH, ...env },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      for (const look of waiting) look();
    });
  }
  const command: Command = {
    child,
    result: resultOf(child),
    line: (text) =>
      new Promise((resolve) => {
        const look = () => {
          const at = lines.findIndex((line) => line.includes(text));
          if (at < 0) return;
          waiting.delete(look);
          resolve(lines.splice(0, at + 1).at(-1) ?? '');
        };
        waiting.add(look);
        look();
      }),
  };
  running.push(command);
  return command;
}

const lunch = () => `lunch${application.id}`;
const trigger = (...args: string[]) => runCli(['trigger', lunch(), '--channel', guild.textChannelId, ...args], env);
const listen = async (...args: string[]) => {
  const listening = start('listen', '--forward-to', endpoint.url.replace('http://', ''), ...args);
  await listening.line('Listening');
  return listening;
};

describe('causeway listen', () => {
  it('posts signed interactions to a local endpoint, whose answer a triggered command prints', async () => {
    await endpoint.close();
    endpoint = await startEndpoint({
      publicKey: application.publicKey,
      answer: ({ data }) => ({ type: 4, data: { content: `${data.options[0].value} for ${data.options[1].value}` } }),
    });
    const listening = await listen();
    const logs = start('logs', 'tail');
    await logs.line('Following');
    expect(await trigger('dish=Onion tart', 'guests=3')).toEqual({ code: 0, stdout: 'Onion tart for 3\n', stderr: '' });
    expect(endpoint.requests.map(({ isSigned, method }) => [isSigned, method])).toEqual([[true, 'POST']]);
    expect(await listening.line(`/${lunch()}`)).toMatch(/^\d\d:\d\d:\d\d {2}\/lunch\d+ {2}by ada\S* {2}200 in \d+ ms$/);
    expect(await logs.line('HTTP')).toContain(`/${lunch()}  by ada`);
    expect(await logs.line('CALLBACK')).toContain('by ada');
  });

  it('shows why the instance refused an answer, and the developer of the command, too', async () => {
    await endpoint.close();
    endpoint = await startEndpoint({ publicKey: application.publicKey, answer: () => ({ type: 4, data: {} }) });
    const listening = await listen('--json');
    const { code, stdout } = await trigger('--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { state: 'FAILED' }]);
    const outcome = JSON.parse(await listening.line('"failure"'));
    expect(outcome).toMatchObject({ status: 200 });
    expect(outcome.failure).toContain('Cannot send an empty message');
    expect(JSON.parse(stdout).failure).toBe(outcome.failure);
  });

  it('fails an interaction at once if the local endpoint is not there, and says so', async () => {
    const listening = await listen();
    await endpoint.close();
    const begun = performance.now();
    const { code, stdout } = await trigger();
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect([code, stdout]).toEqual([1, expect.stringContaining('No answer: The local endpoint did not respond')]);
    expect(await listening.line('no answer in')).toContain(lunch());
    expect(await listening.line('did not respond')).toContain('ECONNREFUSED');
  });

  it('ends with status 1 when another listener replaces it, and with 0 when it is interrupted', async () => {
    const first = await listen();
    const second = await listen();
    expect(await first.result).toMatchObject({ code: 1 });
    expect(await first.line('Another listener')).toContain('receives the interactions of this application now');
    second.child.kill('SIGINT');
    expect(await second.result).toMatchObject({ code: 0 });
  });

  it.for([
    [['listen', '--forward-to', 'http://'], 2, 'Write a URL, for example localhost:3000/interactions.'],
    [['listen'], 2, "required option '--forward-to <url>' not specified"],
    [['listen', '--forward-to', '3000', '--token', 'wrong'], 1, 'refused the token'],
    [['logs', 'tail', '--token', 'wrong'], 1, 'refused the token'],
    [['logs', 'tail', '--url', 'http://127.0.0.1:1'], 1, 'could not be reached'],
  ] as const)('%j ends with status %i', async ([args, code, message]) => {
    const result = await runCli([...args, '--application', application.id], env);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('causeway trigger', () => {
  it.for([
    [['dish'], 2, 'write options as name=value'],
    [['plate=1'], 2, 'there is no option plate; it has dish, guests'],
    [['guests=many'], 2, 'guests needs a number, not many'],
    [['--timeout', 'soon'], 2, 'Write a number of seconds above 0.'],
  ] as const)('with %j ends with status %i', async ([args, code, message]) => {
    const result = await trigger(...args);
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  it('names the commands that can run if the given one cannot', async () => {
    const result = await runCli(['trigger', 'dinner', '--channel', guild.textChannelId], env);
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining(lunch())]);
  });
});
