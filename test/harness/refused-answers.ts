import type { Page } from 'playwright-core';

/** What a page is answered in the place of the server, as long as it lasts. */
export interface RefusedAnswers {
  /** How often it was asked for so far. */
  count: () => number;
  stop: () => Promise<void>;
}

/** Refuses what a page asks for by a document of that name, such as `UpdateApplication`. */
export async function refuseAnswers(
  page: Page,
  name: string,
  extensions: Record<string, unknown>,
): Promise<RefusedAnswers> {
  let count = 0;
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes(`"operationName":"${name}"`)) return route.fallback();
    count += 1;
    await route.fulfill({ json: { errors: [{ message: 'You are being rate limited.', extensions }] } });
  });
  return { count: () => count, stop: () => page.unroute('**/graphql') };
}

/** Too much at once, until a minute has passed. */
export const FOR_A_MINUTE = { code: 'RATE_LIMITED', retryAfter: 60 };
