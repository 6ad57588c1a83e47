import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../harness/clock.js';
import { outboxOf } from '../../harness/mails.js';
import { type Person, signUp } from '../../harness/people.js';
import { formIn, Visitor } from '../../harness/screen.js';
import { startServer, type TestServer } from '../../harness/server.js';

const clock = new ManualClock();
let server: TestServer;
let ada: Person;
let visitor: Visitor;
beforeAll(async () => {
  server = await startServer({ clock });
  ada = await signUp(server, 'ada');
  visitor = new Visitor(server);
});
afterAll(() => server.stop());

const PASSWORD_PAGE = '/oauth2/password';

async function link(): Promise<string> {
  const mails = await outboxOf(server, ada.email);
  const found = mails.flatMap(({ body }) => /^http\S+?(\/oauth2\/password\?\S+)$/m.exec(body)?.[1] ?? []).at(-1);
  if (found === undefined) throw new Error('no mail has a link');
  return found;
}

async function askForLink(): Promise<string> {
  // Mails are sorted by time.
  clock.advance(1);
  await visitor.send(formIn(await visitor.get(PASSWORD_PAGE), PASSWORD_PAGE), { email: ada.email });
  return link();
}

describe('a user who forgot their password', () => {
  it('requests a link from the sign-in page, sets a new password, and continues to sign-in', async () => {
    const { html } = await visitor.get('/oauth2/authorize?client_id=7&state=a%26b');
    expect(html).toContain('There is no application');
    const signIn = await visitor.get('/oauth2/sign-in?client_id=7&state=a%26b');
    const [, forgotten = ''] = /<a href="([^"]*)">Forgot your password\?<\/a>/.exec(signIn.html) ?? [];
    const form = formIn(await visitor.get(forgotten.replaceAll('&amp;', '&')), PASSWORD_PAGE);
    clock.advance(1);
    const sent = await visitor.send(form, { email: ada.email });
    expect(sent.status).toBe(200);
    expect(sent.html).toContain(`If there is an account for <bdi>${ada.email}</bdi>`);
    expect(sent.html).toContain('href="/oauth2/sign-in?client_id=7&amp;state=a%26b"');

    const another = formIn(await visitor.get(await link()), PASSWORD_PAGE);
    const changed = await visitor.send(another, { newPassword: 'another horse' });
    expect([changed.status, changed.headers.getSetCookie()]).toEqual([200, []]);
    expect(changed.html).toContain('Password changed');
    const entered = await visitor.send(formIn(await visitor.get('/oauth2/sign-in'), '/oauth2/sign-in'), {
      email: ada.email,
      password: 'another horse',
    });
    expect(entered.location).toBe('/');
  });

  it('sees the same page for an address without an account', async () => {
    const form = formIn(await visitor.get(PASSWORD_PAGE), PASSWORD_PAGE);
    const { status, html } = await visitor.send(form, { email: 'nobody@people.example' });
    expect(status).toBe(200);
    expect(html).toContain('If there is an account for <bdi>nobody@people.example</bdi>');
    expect(await outboxOf(server, 'nobody@people.example')).toEqual([]);
  });

  it('sees at the field that the new password is too short, and can try again', async () => {
    const form = formIn(await visitor.get(await askForLink()), PASSWORD_PAGE);
    const { status, html } = await visitor.send(form, { newPassword: 'short' });
    expect(status).toBe(400);
    expect(html).toContain(
      '<p class="fault" id="newPassword-fault" role="alert">Password must be 8–128 characters.</p>',
    );
    expect(html).not.toContain('short"');
    const again = formIn({ status, html, headers: new Headers(), location: null }, PASSWORD_PAGE);
    expect((await visitor.send(again, { newPassword: 'long enough' })).html).toContain('Password changed');
  });

  it.each<[string, () => Promise<string>]>([
    [
      'that was used',
      async () => {
        const used = await askForLink();
        await visitor.send(formIn(await visitor.get(used), PASSWORD_PAGE), { newPassword: 'yet another' });
        return used;
      },
    ],
    [
      'that is an hour old',
      async () => {
        const old = await askForLink();
        clock.advance(3_600_000);
        return old;
      },
    ],
    ['that was never sent', async () => `${PASSWORD_PAGE}?token=made-up`],
    ['without a token', async () => `${PASSWORD_PAGE}?token=`],
    ['with two', async () => `${PASSWORD_PAGE}?token=a&token=b`],
  ])('is offered a new link in place of one %s', async (_what, find) => {
    const { status, html } = await visitor.get(await find());
    expect(status).toBe(400);
    expect(html).toContain('This link does not work');
    expect(html).toContain(`href="${PASSWORD_PAGE}?">Request a new link</a>`);
  });

  it('is offered a new link if this one was already used', async () => {
    const address = await askForLink();
    const form = formIn(await visitor.get(address), PASSWORD_PAGE);
    await visitor.send(form, { newPassword: 'the first of two' });
    const second = await visitor.send(form, { newPassword: 'the second of two' });
    expect([second.status, second.html.includes('Request a new link')]).toEqual([400, true]);
  });

  it('cannot submit the form from a page of another site', async () => {
    const form = formIn(await visitor.get(await askForLink()), PASSWORD_PAGE);
    for (const origin of ['https://evil.example', 'null']) {
      expect((await visitor.send(form, { newPassword: 'another horse' }, { origin })).status).toBe(403);
    }
  });

  it('sees how long to wait after too many attempts', async () => {
    const limited = await startServer({ env: { RATE_LIMITS: 'on' } });
    try {
      const elsewhere = new Visitor(limited);
      const form = formIn(await elsewhere.get(PASSWORD_PAGE), PASSWORD_PAGE);
      for (let n = 0; n < 5; n += 1) expect((await elsewhere.send(form, { email: 'a@b.example' })).status).toBe(200);
      const { status, headers, html } = await elsewhere.send(form, { email: 'a@b.example' });
      expect([status, Number(headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      expect(html).toContain('value="a@b.example"');
      expect(html).toMatch(/role="alert"><p>Too many attempts; try again in \d+ s\.<\/p>/);
    } finally {
      await limited.stop();
    }
  });
});
