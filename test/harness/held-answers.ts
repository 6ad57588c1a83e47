import type { Page, Route } from 'playwright-core';

export interface HeldAnswer {
  isGiven: Promise<void>;
  release: () => void;
}

/**
 * Delays the response to the next GraphQL document with this beginning, such as `query Guild(`, until it is released.
 */
export async function holdAnswer(page: Page, beginning: string): Promise<HeldAnswer> {
  const [given, released] = [signal(), signal()];
  let isHolding = true;
  await page.route('**/graphql', async (route: Route) => {
    if (!isHolding || !route.request().postData()?.includes(beginning)) return route.fallback();
    isHolding = false;
    const response = await route.fetch();
    given.give();
    await released.isGiven;
    await route.fulfill({ response });
  });
  return { isGiven: given.isGiven, release: released.give };
}

/**
 * Delays a file whose name has this beginning, such as `switcher`.
 * @returns a function that releases it
 */
export async function holdFile(page: Page, name: string): Promise<() => void> {
  const released = signal();
  await page.route(new RegExp(`/${name}-[^/]*\\.js$`), async (route: Route) => {
    await released.isGiven;
    await route.fallback();
  });
  return released.give;
}

function signal() {
  let give: () => void = () => {};
  const isGiven = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { isGiven, give: () => give() };
}

/**
 * Records what a page receives over its socket.
 * @returns a function that waits for a text
 */
export function hearing(page: Page): (text: string) => Promise<void> {
  const heard: string[] = [];
  const waiting = new Map<string, () => void>();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      heard.push(String(payload));
      for (const [text, done] of waiting) if (String(payload).includes(text)) done();
    }),
  );
  return async (text) => {
    if (heard.some((frame) => frame.includes(text))) return;
    await new Promise<void>((resolve) => waiting.set(text, resolve));
  };
}
