import { ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { describe, expect, vi } from 'vitest';
import { namesIn } from '../harness/blobs.js';
import { it } from '../harness/fixtures.js';
import { countReceived, type FormFile, operationForm, sendForm } from '../harness/forms.js';
import type { GraphqlAnswer, Loose } from '../harness/graphql.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import type { TestServer } from '../harness/server.js';
import { faultsOf } from '../harness/settings.js';

const MIB = 1024 * 1024;

let server: TestServer;
let ada: Person;
let member: Person;
let stranger: Person;
let guild: MadeGuild;
let application: MadeApplication;
let commandId: string;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  ada = await signUp(server, 'ada');
  member = await signUp(server, 'member');
  stranger = await signUp(server, 'stranger');
  guild = await createGuild(ada);
  await invite(ada, guild, member);
  application = await createApplication(ada);
  await install(ada, application, guild);
  const { app } = server;
  const id = app.nextId();
  const one = { type: Option.Attachment, name: 'one', description: 'o', required: true, file_types: ['.txt'] };
  const two = { type: Option.Attachment, name: 'two', description: 't' };
  await app.db.writer.applicationCommand.create({
    data: {
      id,
      applicationId: BigInt(application.id),
      name: 'take',
      options: [one, two],
      integrationTypes: [0],
      version: id,
    },
  });
  commandId = String(id);
});

const INVOKE = 'mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id } } }';
const SUBMIT = 'mutation ($input: SubmitModalInput!) { submitModal(input: $input) { interaction { id } } }';
const COMPLETE = 'mutation ($input: InvokeCommandInput!) { autocompleteCommand(input: $input) { choices } }';

type Sent = Omit<FormFile, 'places'>;

function sendFiles(person: Person, query: string, input: object, files: Sent[]): Promise<GraphqlAnswer<Loose>> {
  const variables = { input: { ...input, files: files.map(() => null) } };
  const placed = files.map((file, n) => ({ ...file, places: [`variables.input.files.${n}`] }));
  return sendForm(server, person, operationForm({ query, variables }, placed));
}

const invoke = (person: Person, options: object[], files: Sent[], more: object = {}) =>
  sendFiles(person, INVOKE, { channelId: guild.textChannelId, commandId, options, ...more }, files);

const ONE = [{ name: 'one', value: 0 }];
const BOTH = [...ONE, { name: 'two', value: 1 }];

const codesOf = ({ errors }: GraphqlAnswer<Loose>) => errors.map(({ extensions }) => extensions.code);

async function left(): Promise<string[]> {
  const folders = ['.staging', 'interaction-files'].map((name) => namesIn(server.app.blobs, name));
  return (await Promise.all(folders)).flat();
}

const countInteractions = () => server.app.db.reader.interaction.count();

describe('I-28: the server receives no files', () => {
  const file = { content: new Uint8Array(MIB) };
  it.each<[string, () => Person, object[], Sent[], string, string[]]>([
    ['of who may not run the command', () => member, ONE, [file], 'FORBIDDEN', []],
    ['of who does not see the channel', () => stranger, ONE, [file], 'NOT_FOUND', []],
    ['that are more than ten', () => ada, ONE, Array(11).fill(file), 'LIMIT_EXCEEDED', []],
    ['one of which no option takes', () => ada, ONE, [file, file], 'BAD_USER_INPUT', ['files.1']],
    ['when another option is wrong', () => ada, [...ONE, { name: 'x' }], [file], 'BAD_USER_INPUT', ['options.1.name']],
    ['when one that is required is missing', () => ada, [], [file], 'BAD_USER_INPUT', ['options', 'files.0']],
  ])('%s', async (_case, sender, options, files, code, paths) => {
    const received = countReceived(server);
    const before = await countInteractions();
    const answer = await invoke(sender(), options, files);
    expect(codesOf(answer)).toEqual([code]);
    expect(Object.keys(faultsOf(answer)).toSorted()).toEqual(paths.toSorted());
    expect(received).toEqual({ files: 0, bytes: 0 });
    expect(await countInteractions()).toBe(before);
  });

  it('that the list names twice', async () => {
    const received = countReceived(server);
    const variables = { input: { channelId: guild.textChannelId, commandId, options: BOTH, files: [null, null] } };
    const places = ['variables.input.files.0', 'variables.input.files.1'];
    const answer = await sendForm(server, ada, operationForm({ query: INVOKE, variables }, [{ places, ...file }]));
    expect(Object.keys(faultsOf(answer))).toEqual(['files']);
    expect(received.files).toBe(0);
  });

  it('that are sent with an autocompletion', async () => {
    const received = countReceived(server);
    const options = [{ name: 'one', value: 'a', focused: true }];
    const input = { channelId: guild.textChannelId, commandId, options };
    expect(codesOf(await sendFiles(ada, COMPLETE, input, [file]))).toEqual(['BAD_USER_INPUT']);
    expect(received.files).toBe(0);
  });

  it('from a user who was shown no modal', async () => {
    const received = countReceived(server);
    const components = [{ component: { custom_id: 'files', values: [0] } }];
    expect(codesOf(await sendFiles(ada, SUBMIT, { interactionId: '1', components }, [file]))).toEqual(['NOT_FOUND']);
    expect(received.files).toBe(0);
  });
});

describe('I-28: the server keeps no files', () => {
  it.each<[string, Sent[], string]>([
    [
      'of another type',
      [{ content: 'x' }, { content: 'x' }].map((f, n) => ({ ...f, filename: `${n}.exe` })),
      'BAD_USER_INPUT',
    ],
    ['one of which is too large', [{ content: 'x' }, { content: new Uint8Array(10 * MIB + 1) }], 'LIMIT_EXCEEDED'],
    [
      'that are too large together',
      [{ content: new Uint8Array(10 * MIB) }, { content: new Uint8Array(16 * MIB) }],
      'LIMIT_EXCEEDED',
    ],
  ])('%s', async (_case, files, code) => {
    const before = await countInteractions();
    expect(codesOf(await invoke(ada, BOTH, files))).toEqual([code]);
    expect(await left()).toEqual([]);
    expect(await countInteractions()).toBe(before);
  });

  it('whose sender disconnects', async () => {
    const query = JSON.stringify({
      query: INVOKE,
      variables: { input: { channelId: guild.textChannelId, commandId, options: ONE, files: [null] } },
    });
    const head = (name: string, more = '') => `--q\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
    const text = [
      `${head('operations')}${query}\r\n`,
      `${head('map')}{"0":["variables.input.files.0"]}\r\n`,
      `${head('0', '; filename="a.txt"')}begun`,
    ].join('');
    const received = countReceived(server);
    const gone = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from(text)) });
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'multipart/form-data; boundary=q' };
    const request = { method: 'POST', headers, body, signal: gone.signal, duplex: 'half' } as const;
    const sending = fetch(`${server.origin}/graphql`, request).catch(() => 'gone');
    await vi.waitFor(() => expect(received.files).toBe(1), { timeout: 20_000 });
    gone.abort();
    expect(await sending).toBe('gone');
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 20_000 });
  });
});

it('a file stays with an interaction that was not delivered', async () => {
  expect(codesOf(await invoke(ada, ONE, [{ content: 'x' }]))).toEqual([]);
  const [row] = await server.app.db.reader.interactionFile.findMany({ include: { interaction: true } });
  expect(row).toMatchObject({ filename: 'file-0.txt', size: 1, interaction: { state: 'FAILED' } });
  expect(await left()).toEqual([String(row?.interactionId)]);
});
