import type { Browser, Locator, Page } from 'playwright-core';
import type { Person } from './people.js';
import { openPortal, type PortalTab } from './portal.js';
import type { TestServer } from './server.js';

export interface Hand {
  press(control: Locator): Promise<void>;
  /** Replaces the text of a field. */
  type(field: Locator, text: string): Promise<void>;
  choose(list: Locator, option: string): Promise<void>;
  check(box: Locator): Promise<void>;
  /** Submits a field with Enter. */
  enter(field: Locator): Promise<void>;
}

export interface HandedTab extends PortalTab {
  hand: Hand;
}

export type OpenHanded = (
  browser: Browser,
  server: Pick<TestServer, 'origin'>,
  person: Pick<Person, 'cookie'> | null,
) => Promise<HandedTab>;

export const openByKeyboard: OpenHanded = async (browser, server, person) => {
  const tab = await openPortal(browser, server, person);
  return { ...tab, hand: new Keyboard(tab.page) };
};

/** A tab of a phone that is used by touch only. */
export const openOnPhone: OpenHanded = async (browser, server, person) => {
  const tab = await openPortal(browser, server, person, { width: 360, dark: true, hasTouch: true });
  return { ...tab, hand: new Finger(tab.page) };
};

const MOST_STEPS = 120;

class Keyboard implements Hand {
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

  async #reach(control: Locator): Promise<void> {
    await control.waitFor();
    await this.#expectFocus(control);
    for (let step = 0; step <= MOST_STEPS; step += 1) {
      if (await control.evaluate((each) => each === document.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the Tab key does not lead to ${control}`);
  }

  /** On a page that was used already, the focus must still be somewhere. */
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

  /** The keyboard of a phone has Enter, too. */
  async enter(field: Locator): Promise<void> {
    await field.press('Enter');
  }

  /** Also waits for a page that is loading. */
  async #expectNarrow(): Promise<void> {
    await this.page.waitForFunction(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
  }
}
