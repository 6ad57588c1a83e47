import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Alternating, openAlternating } from './harness/alternating.js';
import type { ThrowAwayDatabase } from './harness/databases.js';
import { GatewayClient } from './harness/gateway-client.js';
import type { Loose } from './harness/graphql.js';
import { dataUri, PIXEL } from './harness/images.js';
import {
  createApplication,
  createGuild,
  install,
  type MadeApplication,
  type MadeGuild,
  type Person,
  sendMessage,
  signUp,
} from './harness/people.js';
import { freePort } from './harness/ports.js';
import { type RunningInstance, startInstance } from './harness/process.js';
import { missingForSeveralProcesses, REDIS_URL } from './harness/redis.js';
import { ask, formOf } from './harness/rest.js';
import { S3_CREDENTIALS, type S3Server, startS3 } from './harness/s3.js';
import { formIn, Visitor } from './harness/screen.js';
import { migratedDatabase } from './harness/server.js';
import { needing } from './harness/skipping.js';

const missing = await missingForSeveralProcesses();

describe.skipIf(missing)(
  needing(missing, 'two machines share PostgreSQL, Redis and an S3 store, and nothing else'),
  () => {
    let database: ThrowAwayDatabase | null;
    let s3: S3Server;
    let folders: string[];
    let address: Alternating;
    let machines: RunningInstance[] = [];
    let ada: Person;
    let application: MadeApplication;
    let guild: MadeGuild;

    beforeAll(async () => {
      database = await migratedDatabase();
      s3 = await startS3();
      address = await openAlternating();
      folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'causeway-machine-'))));
      const ports = await Promise.all(folders.map(() => freePort()));
      machines = await Promise.all(
        folders.map((folder, index) =>
          startInstance({
            PORT: String(ports[index]),
            DATABASE_URL: database?.url ?? '',
            REDIS_URL,
            DATA_DIR: folder,
            SHARED_DATA_DIR: 'off',
            BLOB_URL: s3.blobUrl('machines'),
            PUBLIC_URL: address.origin,
            ...S3_CREDENTIALS,
          }),
        ),
      );
      address.leadTo(...ports.map((port) => `http://localhost:${port}`));
      ada = await signUp(address, 'ada');
      application = await createApplication(ada);
      guild = await createGuild(ada);
      await install(ada, application, guild);
    });
    afterAll(async () => {
      address?.close();
      await Promise.all(machines.map((machine) => machine.end('SIGTERM')));
      await s3?.remove();
      await database?.drop();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    });

    const bot = (method: string, path: string, body: object = {}) =>
      ask(address, method, path, { ...body, headers: { authorization: `Bot ${application.botToken}` } });
    const messages = () => `/channels/${guild.textChannelId}/messages`;
    const textAt = async (url: string) => {
      const response = await fetch(url);
      return response.ok ? response.text() : response.status;
    };

    it('and serve a session by its cookie, its forms, and its end, in turns', async () => {
      const visitor = new Visitor(address, ada);
      for (let round = 0; round < 4; round += 1) {
        const session = await visitor.get('/auth/get-session');
        expect(JSON.parse(session.html)).toMatchObject({ user: { email: ada.email } });
      }
      const link = `/oauth2/authorize?client_id=${application.id}&scope=bot&response_type=code`;
      for (let round = 0; round < 2; round += 1) {
        const page = await visitor.get(link);
        const answer = await visitor.send(formIn(page, '/oauth2/authorize'), {
          decision: 'authorize',
          guild_id: guild.id,
        });
        expect([answer.status, answer.location]).toEqual([303, expect.stringContaining('/oauth2/')]);
        // The other machine serves the next page.
        await visitor.get('/auth/get-session');
      }
      const bob = await signUp(address, 'bob');
      const leaving = new Visitor(address, bob);
      await leaving.send(formIn(await leaving.get(link), '/oauth2/sign-out'));
      expect(leaving.cookie).toBe('');
      for (let round = 0; round < 2; round += 1) {
        expect((await new Visitor(address, bob).get('/auth/get-session')).html).toBe('null');
      }
    });

    it('and serve a long conversation with files, each request at another one than the request before', async () => {
      const before = address.count();
      const gateway = await GatewayClient.open(address.origin);
      await gateway.ready(application.botToken);
      for (let round = 0; round < 25; round += 1) {
        const asked = await sendMessage(ada, guild.textChannelId, `question ${round}`);
        expect((await gateway.event('MESSAGE_CREATE')).d).toMatchObject({ id: asked, content: `question ${round}` });
        const payload = { content: `answer ${round}`, message_reference: { message_id: asked } };
        const files = [{ name: 'files[0]', content: `file ${round}`, filename: 'a.txt' }];
        const sent = await bot('POST', messages(), { form: formOf(payload, ...files) });
        expect(sent.status).toBe(200);
        expect((await gateway.event('MESSAGE_CREATE')).d).toMatchObject({ id: sent.body.id });
        const url = sent.body.attachments[0].url;
        expect([await textAt(url), await textAt(url)]).toEqual([`file ${round}`, `file ${round}`]);
        const one = `${messages()}/${sent.body.id}`;
        const added = formOf({ attachments: [{ id: sent.body.attachments[0].id }] }, { ...files[0]!, content: 'more' });
        const edited = await bot('PATCH', one, { form: added });
        expect(edited.body.attachments).toHaveLength(2);
        const again = await bot('GET', one);
        const shown = await Promise.all(again.body.attachments.map((file: Loose) => textAt(file.url)));
        expect(shown).toEqual([`file ${round}`, 'more']);
        if (round % 5 === 0) {
          expect((await bot('DELETE', one)).status).toBe(204);
          expect([await textAt(url), await textAt(url)]).toEqual([404, 404]);
        }
      }
      const listed = await bot('GET', `${messages()}?limit=100`);
      expect(listed.body).toHaveLength(45);
      expect(address.count() - before).toBeGreaterThan(200);
      await gateway.close();
    });

    it('and serve images that were uploaded to the other one', async () => {
      const { body: emoji } = await bot('POST', `/applications/${application.id}/emojis`, {
        json: { name: 'otter', image: dataUri(PIXEL) },
      });
      const pictures = [0, 1].map(
        async () => (await fetch(`${address.origin}/cdn/emojis/${emoji.id}.png?size=16`)).status,
      );
      expect(await Promise.all(pictures)).toEqual([200, 200]);
    });

    it('and keep only incomplete uploads in their own folders', async () => {
      for (const folder of folders) {
        const files = await readdir(folder, { recursive: true, withFileTypes: true });
        expect(files.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual([]);
      }
    });
  },
);
