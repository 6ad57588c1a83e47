import type { Browser, Locator, Page } from 'playwright-core';
import type { Person } from './people.js';
import { openPortal, type PortalTab } from './portal.js';
import type { TestServer } from './server.js';

/** How somebody uses a page, with what they have. */
export interface Hand {
  /** Uses a button or a link. */
  press(control: Locator): Promise<void>;
  /** Types into a field, in the place of what it holds. */
  type(field: Locator, text: string): Promise<void>;
  /** Chooses one of a native list by what it is called. */
  choose(list: Locator, option: string): Promise<void>;
  /** Ticks a box. */
  check(box: Locator): Promise<void>;
  /** Sends what was typed, as a chat does with Enter. */
  enter(field: Locator): Promise<void>;
}

/** A tab, and the hand that uses it. */
export interface HandedTab extends PortalTab {
  hand: Hand;
}

export type OpenHanded = (
  browser: Browser,
  server: Pick<TestServer, 'origin'>,
  person: Pick<Person, 'cookie'> | null,
) => Promise<HandedTab>;

/** A tab in which nothing is used but the keyboard. */
export const openByKeyboard: OpenHanded = async (browser, server, person) => {
  const tab = await openPortal(browser, server, person);
  return { ...tab, hand: new Keyboard(tab.page) };
};

/** A tab as on a telephone, in which everything is touched. */
export const openOnPhone: OpenHanded = async (browser, server, person) => {
  const tab = await openPortal(browser, server, person, { width: 360, dark: true, hasTouch: true });
  return { ...tab, hand: new Finger(tab.page) };
};

/** How often the Tab key is pressed at most to get anywhere. */
const MOST_STEPS = 120;

class Keyboard implements Hand {
  /** The page that was used last, by when it was loaded. */
  #used = 0;

  constructor(private readonly page: Page) {}

  async press(control: Locator): Promise<void> {
    await this.#reach(control);
    await this.page.keyboard.press('Enter');
  }

  async type(field: Locator, text: string): Promise<void> {
    await this.#reach(field);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
  }

  async choose(list: Locator, option: string): Promise<void> {
    await this.#reach(list);
    const chosen = () => list.evaluate((each: HTMLSelectElement) => each.selectedOptions[0]?.label);
    await this.page.keyboard.press('Home');
    for (let step = 0; (await chosen()) !== option; step += 1) {
      if (step > MOST_STEPS) throw new Error(`“${option}” is not in ${list}`);
      await this.page.keyboard.press('ArrowDown');
    }
  }

  async check(box: Locator): Promise<void> {
    await this.#reach(box);
    await this.page.keyboard.press('Space');
  }

  async enter(field: Locator): Promise<void> {
    await this.#reach(field);
    await this.page.keyboard.press('Enter');
  }

  /** Goes there with the Tab key. */
  async #reach(control: Locator): Promise<void> {
    await control.waitFor();
    await this.#expectFocus(control);
    for (let step = 0; step <= MOST_STEPS; step += 1) {
      if (await control.evaluate((each) => each === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the Tab key does not lead to ${control}`);
  }

  /** In a page that was used already the focus is somewhere, where one goes on. */
  async #expectFocus(control: Locator): Promise<void> {
    const loadedAt = await this.page.evaluate(() => performance.timeOrigin);
    const isUsed = loadedAt === this.#used;
    this.#used = loadedAt;
    if (!isUsed) return;
    await this.page
      .waitForFunction(() => document.activeElement !== document.body, null, { timeout: 5_000 })
      .catch(() => {
        throw new Error(`the focus was lost on the way to ${control}`);
      });
  }
}

class Finger implements Hand {
  constructor(private readonly page: Page) {}

  async press(control: Locator): Promise<void> {
    await control.tap();
    await this.#expectNarrow();
  }

  async type(field: Locator, text: string): Promise<void> {
    await field.tap();
    await field.fill(text);
    await this.#expectNarrow();
  }

  async choose(list: Locator, option: string): Promise<void> {
    await list.selectOption({ label: option });
  }

  async check(box: Locator): Promise<void> {
    await box.tap();
  }

  /** The keyboard of a telephone has this key, too. */
  async enter(field: Locator): Promise<void> {
    await field.press('Enter');
  }

  /** Also of a page that comes only now. */
  async #expectNarrow(): Promise<void> {
    await this.page.waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  }
}
