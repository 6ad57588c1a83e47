// Runs in a measured page before its own scripts and measures times by the page's clock, in milliseconds since the
// start of the navigation.
{
  const LINKS = 'section[aria-label="Applications"] li a';
  const links = () => [...document.querySelectorAll(LINKS)];
  const linkOf = (name) => links().find((link) => link.textContent === name);

  /** Resolves when a condition holds. It is checked after every change of the page. */
  const whenever = (isSo) =>
    new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        observer.disconnect();
        resolve(performance.now());
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, characterData: true, subtree: true });
      look();
    });

  let blocked = 0;
  let shift = 0;
  const note = (type, add) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true });
  note('longtask', ({ duration }) => {
    blocked += duration - 50;
  });
  note('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) shift += value;
  });

  const shown = whenever(() => links().length > 0);
  let renamed;

  globalThis.probe = {
    async load() {
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      return { painted: paint.startTime, shown: await shown, blocked, shift };
    },
    async open(name) {
      const isOpen = () =>
        document.querySelector('h1')?.textContent === name && document.querySelector('form') !== null;
      const clicked = performance.now();
      linkOf(name).click();
      return (await whenever(isOpen)) - clicked;
    },
    async goBack() {
      history.back();
      await whenever(() => links().length > 0);
    },
    watchFor(name) {
      renamed = whenever(() => linkOf(name) !== undefined);
    },
    async sawAt() {
      return performance.timeOrigin + (await renamed);
    },
    async send(path, body) {
      const sentAt = performance.timeOrigin + performance.now();
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
      const { errors } = await answer.json();
      if (errors) throw new Error(`${path} answered ${JSON.stringify(errors)}`);
      return sentAt;
    },
  };
}
