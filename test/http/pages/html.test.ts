import { expect, test } from 'vitest';
import { html, name } from '../../../src/http/pages/html.js';

test('markup escapes text and omits null, undefined and false', () => {
  expect(html`<p title="${`&<>"'`}">${[null, undefined, false, 0, 1n, [html`<b>`, '<b>']]}</p>`.text).toBe(
    '<p title="&amp;&lt;&gt;&quot;&#39;">01<b>&lt;b&gt;</p>',
  );
  expect(name('<i>').text).toBe('<bdi>&lt;i&gt;</bdi>');
});
