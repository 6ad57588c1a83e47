import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countHeld, countReceived, type FormFile, operationForm, sendForm } from '../harness/forms.js';
import { readableLog } from '../harness/log.js';
import { createGuild, type MadeGuild, type Person, signUp } from '../harness/people.js';
import { RawConnection } from '../harness/raw-http.js';
import { startServer, type TestServer } from '../harness/server.js';

const MIB = 1024 * 1024;

let server: TestServer;
let ada: Person;
let stranger: Person;
let guild: MadeGuild;
const { log, lines: logged } = readableLog();
beforeAll(async () => {
  server = await startServer({ log });
  [ada, stranger] = await Promise.all([signUp(server, 'ada'), signUp(server, 'stranger')]);
  guild = await createGuild(ada);
});
afterAll(() => server.stop());

const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { message { id attachments } } }`;

function messageForm(channelId: string, files: Omit<FormFile, 'places'>[]): FormData {
  const input = { channelId, content: 'x', files: files.map(() => null) };
  const placed = files.map((file, n) => ({ ...file, places: [`variables.input.files.${n}`] }));
  return operationForm({ query: SEND, variables: { input } }, placed);
}

const codesOf = ({ errors }: { errors: { extensions: { code?: string } }[] }) =>
  errors.map(({ extensions }) => extensions.code);

const FIELD = 'Content-Disposition: form-data';

const staged = () => readdir(join(server.app.config.dataDir, 'blobs', '.staging')).catch(() => []);

describe('a file', () => {
  it('that is named many times is refused before it is received', async () => {
    const received = countReceived(server);
    const names = Array(200).fill('$f').join(',');
    const query = `mutation ($f: File!) {
      sendMessage(input: { channelId: "${guild.textChannelId}", content: "x", files: [${names}] }) { message { id } }
    }`;
    const file = { places: ['variables.f'], content: 'one' };
    const answer = await sendForm(server, ada, operationForm({ query, variables: { f: null } }, [file]));
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(Object.keys(answer.errors[0]?.extensions.fields ?? {})).toEqual(['files']);
    expect(received).toEqual({ files: 0, bytes: 0 });
  });

  it('that the map puts into several places is refused before it is received', async () => {
    const received = countReceived(server);
    const input = { channelId: guild.textChannelId, content: 'x', files: [null, null] };
    const places = ['variables.input.files.0', 'variables.input.files.1'];
    const form = operationForm({ query: SEND, variables: { input } }, [{ places, content: 'one' }]);
    expect(codesOf(await sendForm(server, ada, form))).toEqual(['BAD_USER_INPUT']);
    expect(received.files).toBe(0);
  });

  it('is received once, and is used by only one field of an operation', async () => {
    const received = countReceived(server);
    const send = `sendMessage(input: { channelId: "${guild.textChannelId}", content: "x", files: [$f] }) { message { attachments } }`;
    const query = `mutation ($f: File!) { a: ${send} b: ${send} }`;
    const form = operationForm({ query, variables: { f: null } }, [{ places: ['variables.f'], content: 'one' }]);
    const answer = await sendForm(server, ada, form);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
    expect(answer.errors[0]).toMatchObject({ path: ['b'] });
    expect(received).toEqual({ files: 1, bytes: 3 });
  });

  it('has the type that its sender states if that is valid, and otherwise the type of its name', async () => {
    const types = async (...stated: string[]) => {
      const files = stated.map((type, n) => ({ content: 'x', type, filename: `${n}.png` }));
      const { data, errors } = await sendTyped(guild.textChannelId, files);
      expect(errors).toEqual([]);
      return data.sendMessage.message.attachments.map((one: { content_type: string }) => one.content_type);
    };
    expect(await types('image/webp', 'image/<b>', 'image', '')).toEqual([
      'image/webp',
      'image/png',
      'image/png',
      'image/png',
    ]);
  });

  it('is refused if its stated type has a character that databases cannot store', async () => {
    const file = { content: 'x', type: 'image/\0png', filename: 'x.png' };
    expect(codesOf(await sendTyped(guild.textChannelId, [file]))).toEqual(['BAD_USER_INPUT']);
  });

  /** Like {@link sendForm}, but sends the types unchanged, because a `Blob` drops malformed ones. */
  async function sendTyped(channelId: string, files: { content: string; type: string; filename: string }[]) {
    const input = { channelId, content: 'x', files: files.map(() => null) };
    const part = (disposition: string, body: string, type?: string) =>
      `--q\r\nContent-Disposition: form-data; ${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n${body}\r\n`;
    const map = Object.fromEntries(files.map((_file, n) => [n, [`variables.input.files.${n}`]]));
    const body = [
      part('name="operations"', JSON.stringify({ query: SEND, variables: { input } })),
      part('name="map"', JSON.stringify(map)),
      ...files.map(({ content, type, filename }, n) => part(`name="${n}"; filename="${filename}"`, content, type)),
      '--q--\r\n',
    ].join('');
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'multipart/form-data; boundary=q' };
    return (await fetch(`${server.origin}/graphql`, { method: 'POST', headers, body })).json().then((answer) => ({
      data: answer.data,
      errors: answer.errors ?? [],
    }));
  }
});

describe('the server receives no files', () => {
  const file = { content: new Uint8Array(MIB) };
  it.each([
    ['for a channel that does not exist', () => ada, () => '1', [file], 'NOT_FOUND'],
    ['for a channel the sender does not see', () => stranger, () => guild.textChannelId, [file], 'NOT_FOUND'],
    ['when they are more than ten', () => ada, () => guild.textChannelId, Array(11).fill(file), 'LIMIT_EXCEEDED'],
  ])('%s', async (_case, sender, channel, files, code) => {
    const received = countReceived(server);
    const answer = await sendForm(server, sender(), messageForm(channel(), files));
    expect(codesOf(answer)).toEqual([code]);
    expect(received).toEqual({ files: 0, bytes: 0 });
  });

  it('that no field of the operation takes', async () => {
    const received = countReceived(server);
    const query = '{ me { id } }';
    const form = operationForm({ query, variables: { f: null } }, [{ places: ['variables.f'], ...file }]);
    expect(await sendForm(server, ada, form)).toMatchObject({ data: { me: { id: ada.id } }, errors: [] });
    expect(received.files).toBe(0);
  });

  it('for an icon of an application that the sender does not see', async () => {
    const received = countReceived(server);
    const query = `mutation ($f: File) { updateApplication(input: { applicationId: "1", icon: $f }) { application { id } } }`;
    const form = operationForm({ query, variables: { f: null } }, [{ places: ['variables.f'], ...file }]);
    expect(codesOf(await sendForm(server, ada, form))).toEqual(['NOT_FOUND']);
    expect(received.files).toBe(0);
  });
});

describe('a form', () => {
  it('is accepted if its fields take the files in another order than they come in', async () => {
    const send = (name: string) =>
      `sendMessage(input: { channelId: "${guild.textChannelId}", content: "x", files: [$${name}] }) { message { attachments } }`;
    const query = `mutation ($a: File!, $b: File!) { first: ${send('b')} second: ${send('a')} }`;
    const form = operationForm({ query, variables: { a: null, b: null } }, [
      { places: ['variables.a'], content: new Uint8Array(MIB), filename: 'a' },
      { places: ['variables.b'], content: new Uint8Array(MIB), filename: 'b' },
    ]);
    const { data, errors } = await sendForm(server, ada, form);
    expect(errors).toEqual([]);
    expect(data.first.message.attachments).toMatchObject([{ filename: 'b', size: MIB }]);
    expect(data.second.message.attachments).toMatchObject([{ filename: 'a', size: MIB }]);
  });

  it('of more than 25 MiB of files is refused, and leaves no files', async () => {
    const files = Array.from({ length: 3 }, () => ({ content: new Uint8Array(9 * MIB) }));
    const answer = await sendForm(server, ada, messageForm(guild.textChannelId, files));
    expect([answer.status, ...codesOf(answer)]).toEqual([413, 'LIMIT_EXCEEDED']);
    const large = await sendForm(
      server,
      ada,
      messageForm(guild.textChannelId, [{ content: new Uint8Array(10 * MIB + 1) }]),
    );
    expect(codesOf(large)).toEqual(['LIMIT_EXCEEDED']);
    expect(await staged()).toEqual([]);
  });

  it.each<[string, (form: FormData) => void]>([
    ['without an operation', (form) => form.delete('operations')],
    ['without a map', (form) => form.delete('map')],
    ['without a file that the map names', (form) => form.delete('0')],
    ['whose map is none', (form) => form.set('map', '"0"')],
    ['whose map names no list', (form) => form.set('map', '{"0":"variables.input.files.0"}')],
    ['whose map names a place that is not there', (form) => form.set('map', '{"0":["variables.other"]}')],
    ['whose map names a place that is taken', (form) => form.set('map', '{"0":["query"]}')],
    ['whose map leads out of the operation', (form) => form.set('map', '{"0":["variables.__proto__.x"]}')],
  ])('%s is refused as bad input', async (_case, change) => {
    const form = messageForm(guild.textChannelId, [{ content: 'one' }]);
    change(form);
    expect(codesOf(await sendForm(server, ada, form))).toEqual(['BAD_USER_INPUT']);
    expect(await staged()).toEqual([]);
  });

  it('with a further text field is refused as bad input', async () => {
    const ordered = messageForm(guild.textChannelId, [{ content: 'one' }]);
    for (const place of [0, 1, 2]) {
      const parts: [string, FormDataEntryValue][] = [...ordered];
      parts.splice(place, 0, ['note', 'x'.repeat(1_000)]);
      const form = new FormData();
      for (const [name, value] of parts) form.append(name, value as string);
      const { data, errors } = await sendForm(server, ada, form);
      expect({ data, codes: codesOf({ errors }) }).toEqual({ data: null, codes: ['BAD_USER_INPUT'] });
      if (place < 2) expect(errors[0]?.message).toContain('"note"');
    }
  });

  it.each([
    ['a field without a name', 'Content-Disposition: form-data'],
    ['a file without a name', 'Content-Disposition: form-data; filename="x"'],
    ['text in an unknown charset', `${FIELD}; name="map"\r\nContent-Type: text/plain; charset=none`],
  ])('with %s is refused as bad input', async (_, head) => {
    const operation = `--q\r\n${FIELD}; name="operations"\r\n\r\n{"query":"{ __typename }"}\r\n`;
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.token}`, 'content-type': 'multipart/form-data; boundary=q' },
      body: `${operation}--q\r\n${head}\r\n\r\nx\r\n--q--`,
    });
    expect(codesOf((await response.json()) as Parameters<typeof codesOf>[0])).toEqual(['BAD_USER_INPUT']);
  });

  it('whose files come before the operation is refused as bad input', async () => {
    const ordered = messageForm(guild.textChannelId, [{ content: 'one' }]);
    const form = new FormData();
    for (const name of ['0', 'operations', 'map']) form.append(name, ordered.get(name) as string);
    expect(codesOf(await sendForm(server, ada, form))).toEqual(['BAD_USER_INPUT']);
  });
});

/** Begins a request whose body is never sent completely. */
async function beginForm(person: Person | null, announced = 20 * MIB): Promise<RawConnection> {
  const connection = await RawConnection.open(server);
  connection.write(
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    'Content-Type: multipart/form-data; boundary=q',
    `Content-Length: ${announced}`,
    ...(person ? [`Authorization: Bearer ${person.token}`] : []),
    '',
    '',
  );
  return connection;
}

const HEAD = (channelId: string) =>
  [
    '--q',
    'Content-Disposition: form-data; name="operations"',
    '',
    JSON.stringify({ query: SEND, variables: { input: { channelId, content: 'x', files: [null] } } }),
    '--q',
    'Content-Disposition: form-data; name="map"',
    '',
    '{"0":["variables.input.files.0"]}',
    '--q',
    'Content-Disposition: form-data; name="0"; filename="slow.txt"',
    '',
    'the beginning',
  ].join('\r\n');

describe('a request body', () => {
  it('with files is not received from an unauthenticated caller', async () => {
    const connection = await beginForm(null);
    expect(await connection.answer()).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    connection.socket.destroy();
  });

  it('of more than 25 MiB is refused before it is received', async () => {
    const connection = await beginForm(ada, 30 * MIB);
    expect((await connection.answer()).status).toBe(413);
    connection.socket.destroy();
  });

  it('of more than 64 KiB is refused before it is received from an unauthenticated caller', async () => {
    const connection = await RawConnection.open(server);
    const length = `Content-Length: ${64 * 1024 + 1}`;
    connection.write('POST /graphql HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', length, '', '');
    expect((await connection.answer()).status).toBe(413);
    connection.socket.destroy();
  });

  it('is not received if its IP address is over the limit', async () => {
    const { limits } = server.app;
    const { take } = limits;
    limits.take = async (limit) => ({ allowed: false, limit: limit.points, remaining: 0, resetAfterMs: 1_000 });
    const connection = await RawConnection.open(server);
    connection.write(
      'POST /graphql HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Length: 9',
      '',
      '',
    );
    expect((await connection.answer()).status).toBe(429);
    limits.take = take;
    connection.socket.destroy();
  });

  it('with files is refused if its sender already sends five at once', async () => {
    const slow = await signUp(server, 'slow');
    const begun = nextFiles(5);
    const connections = await Promise.all(Array.from({ length: 5 }, () => beginForm(slow)));
    const { textChannelId } = await createGuild(slow);
    for (const connection of connections) connection.write(HEAD(textChannelId));
    await begun;
    const sixth = await beginForm(slow);
    const refusal = await sixth.answer();
    expect(refusal).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(JSON.parse(refusal.body).errors[0].extensions).toEqual({ code: 'RATE_LIMITED', retryAfter: 1 });
    sixth.socket.destroy();
    const others = await sendForm(server, ada, messageForm(guild.textChannelId, [{ content: 'x' }]));
    expect(others.errors).toEqual([]);
    for (const connection of connections) connection.socket.destroy();
    await nothingStaged();
    const again = await sendForm(server, slow, messageForm(textChannelId, [{ content: 'x' }]));
    expect(again.errors).toEqual([]);
    expect(logged).toEqual([]);
  });

  it('with files counts towards the memory limit of its sender until it is answered', async () => {
    const slow = await signUp(server, 'slower');
    const { textChannelId } = await createGuild(slow);
    const held = countHeld(server);
    const begun = nextFiles(1);
    const connection = await beginForm(slow);
    const head = HEAD(textChannelId);
    connection.write(head);
    await begun;
    expect(held.bytes).toBeGreaterThanOrEqual(head.length);
    connection.socket.destroy();
    await expect.poll(() => held.bytes, { timeout: 8_000 }).toBe(0);
  });

  it.each<[string, (form: FormData) => void]>([
    ['that is refused', (form) => form.set('map', '0')],
    ['that is answered', () => {}],
  ])('with files %s no longer counts towards the memory limit', async (_case, change) => {
    const held = countHeld(server);
    const form = messageForm(guild.textChannelId, [{ content: 'one' }]);
    change(form);
    await sendForm(server, ada, form);
    expect(held.bytes).toBe(0);
  });

  it('counts towards the memory limit of its sender until it is answered', async () => {
    const many = await signUp(server, 'many');
    const almost = 'x'.repeat(MIB - 1);
    const begin = async () => {
      const connection = await RawConnection.open(server);
      connection.write(
        'POST /graphql HTTP/1.1',
        'Host: localhost',
        'Content-Type: application/json',
        `Authorization: Bearer ${many.token}`,
        `Content-Length: ${MIB}`,
        '',
        almost,
      );
      return connection;
    };
    const connections = await Promise.all(Array.from({ length: 34 }, begin));
    const refused = await Promise.race(connections.map((connection) => connection.answer()));
    expect(refused.status).toBe(429);
    for (const connection of connections) connection.socket.destroy();
  });
});

function nextFiles(count: number): Promise<void> {
  const { blobs } = server.app;
  const { stage } = blobs;
  return new Promise((resolve) => {
    let begun = 0;
    blobs.stage = (content) => {
      begun += 1;
      if (begun === count) resolve();
      return stage.call(blobs, content);
    };
  });
}

async function nothingStaged(): Promise<void> {
  await expect.poll(staged, { timeout: 8_000 }).toEqual([]);
}
