import {
  ApplicationCommandOptionType,
  type Attachment,
  Client,
  FileUploadBuilder,
  GatewayIntentBits,
  type Interaction,
  LabelBuilder,
  ModalBuilder,
} from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FormFile, operationForm, sendForm } from '../harness/forms.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  signUp,
} from '../harness/people.js';
import { startServer, type TestServer } from '../harness/server.js';

let server: TestServer;
let ada: Person;
let guild: MadeGuild;
let application: MadeApplication;
let client: Client<true>;

beforeAll(async () => {
  server = await startServer();
  ada = await signUp(server, 'ada');
  guild = await createGuild(ada);
  application = await createApplication(ada);
  await install(ada, application, guild, { permissions: '8' });
  const made = new Client({
    intents: [GatewayIntentBits.Guilds],
    rest: { api: `${server.origin}/api`, version: '10' },
  });
  const ready = new Promise((resolve) => made.once('clientReady', resolve));
  await made.login(application.botToken);
  await ready;
  client = made as Client<true>;
});
afterAll(async () => {
  await client?.destroy();
  await server?.stop();
});

const INTERACTION = 'interaction { id state failure message { content } }';
const INVOKE = `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { ${INTERACTION} } }`;
const SUBMIT = `mutation ($input: SubmitModalInput!) { submitModal(input: $input) { ${INTERACTION} } }`;

function sendFiles(query: string, input: object, files: Omit<FormFile, 'places'>[]) {
  const variables = { input: { ...input, files: files.map(() => null) } };
  const placed = files.map((file, n) => ({ ...file, places: [`variables.input.files.${n}`] }));
  return sendForm(server, ada, operationForm({ query, variables }, placed));
}

function answered<T>(work: (interaction: Interaction) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    client.once('interactionCreate', (interaction) => void work(interaction).then(resolve, reject));
  });
}

async function bytesOf({ url }: Attachment): Promise<Buffer> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const BYTES = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('I-28: discord.js gets the files of a command, and downloads the same bytes, also after it has responded', async () => {
  const command = await client.application.commands.create({
    name: 'scan',
    description: 'Looks at files',
    options: [
      { name: 'file', description: 'What', type: ApplicationCommandOptionType.Attachment, required: true },
      { name: 'picture', description: 'Of it', type: ApplicationCommandOptionType.Attachment },
    ],
  });
  const done = answered(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('no slash command');
    const given = [interaction.options.getAttachment('file', true), interaction.options.getAttachment('picture', true)];
    await interaction.reply(given.map(({ name, size }) => `${name} ${size}`).join());
    return given;
  });
  const options = [
    { name: 'picture', type: 11, value: '0' },
    { name: 'file', type: 11, value: 1 },
  ];
  const answer = await sendFiles(INVOKE, { channelId: guild.textChannelId, commandId: command.id, options }, [
    { content: PIXEL, filename: 'p.png', type: 'image/png' },
    { content: BYTES, filename: 'all bytes.bin' },
  ]);
  expect(answer.errors).toEqual([]);
  const [file, picture] = await done;
  expect(file).toMatchObject({ name: 'all_bytes.bin', size: BYTES.length, ephemeral: true, width: null });
  expect(picture).toMatchObject({ name: 'p.png', contentType: 'image/png', width: 1, height: 1 });
  if (!file || !picture) throw new Error('no files');
  expect((await bytesOf(file)).equals(BYTES)).toBe(true);
  expect((await bytesOf(picture)).equals(PIXEL)).toBe(true);
  expect((await fetch(file.url.replace('ephemeral-attachments', 'attachments'))).status).toBe(404);
  expect((await fetch(file.url.replace(/hm=\w+/, 'hm=00'))).status).toBe(404);
});

test('I-28: discord.js gets the files of a modal', async () => {
  const command = await client.application.commands.create({ name: 'report', description: 'Asks for files' });
  const shown = answered(async (interaction) => {
    if (!interaction.isChatInputCommand()) throw new Error('no slash command');
    const upload = new FileUploadBuilder().setCustomId('files').setMinValues(1).setMaxValues(2).setRequired(true);
    const label = new LabelBuilder().setLabel('Files').setFileUploadComponent(upload);
    await interaction.showModal(new ModalBuilder().setCustomId('m').setTitle('M').addLabelComponents(label));
  });
  const { invokeCommand } = await ada.graphql(INVOKE, {
    input: { channelId: guild.textChannelId, commandId: command.id },
  });
  await shown;
  const done = answered(async (interaction) => {
    if (!interaction.isModalSubmit()) throw new Error('no modal');
    await interaction.reply('thanks');
    return interaction.fields.getUploadedFiles('files', true);
  });
  const components = [{ type: 18, component: { type: 19, custom_id: 'files', values: ['1', '0'] } }];
  const input = { interactionId: invokeCommand.interaction.id, components };
  const files = ['one', 'three'].map((content) => ({ content, filename: `${content}.txt` }));
  expect((await sendFiles(SUBMIT, input, files)).errors).toEqual([]);
  const given = [...(await done).values()];
  expect(given.map(({ name, size }) => `${name} ${size}`).toSorted()).toEqual(['one.txt 3', 'three.txt 5']);
  for (const file of given) expect(`${await bytesOf(file)}.txt`).toBe(file.name);
});
