import { describe, expect } from 'vitest';
import { type AppContext, callContext } from '../../../src/context.js';
import { deleteApplication } from '../../../src/domain/applications/index.js';
import { requireMembersIntent } from '../../../src/domain/members/index.js';
import { asBox } from '../../harness/as-box.js';
import { test } from '../../harness/fixtures.js';
import { outcome } from '../../harness/outcome.js';
import { callOf, createBot, type TestBot } from '../../harness/world.js';

let app: AppContext;
test.beforeAll(({ server }) => {
  ({ app } = server);
});

const asked = ({ id, user }: TestBot) =>
  outcome(
    requireMembersIntent(callContext(app, { kind: 'bot', user, applicationId: id, messageContentIntent: false })),
  );

/** A bot without an application, like a cloud's bot on a box. */
async function botWithoutApplication(): Promise<TestBot> {
  const bot = await createBot(app, { name: 'Helper' });
  await deleteApplication(callOf(app, bot.owner), { applicationId: bot.id, name: 'Helper' });
  return bot;
}

describe('the members intent (Guild Resource)', () => {
  test('is the setting of the application', async () => {
    expect(await asked(await createBot(app))).toBe('ok');
    expect(await asked(await createBot(app, { privilegedIntents: [] }))).toBe('MISSING_ACCESS');
  });

  test('is denied in the cloud if the application is not found', async () => {
    expect(await asked(await botWithoutApplication())).toBe('MISSING_ACCESS');
  });

  test("is not checked on a box if the bot's application is in the cloud", async () => {
    const bot = await botWithoutApplication();
    const asBefore = asBox(app, 5_000);
    expect(await asked(bot)).toBe('ok');
    expect(await asked(await createBot(app, { privilegedIntents: [] }))).toBe('MISSING_ACCESS');
    asBefore();
  });
});
