import type { Page } from 'playwright-core';

export interface RefusedAnswers {
  count: () => number;
  stop: () => Promise<void>;
}

/** Refuses the requests of a page for the GraphQL document with this name, such as `UpdateApplication`. */
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

export const FOR_A_MINUTE = { code: 'RATE_LIMITED', retryAfter: 60 };
