import { type Fragment, type Html, html } from '../../http/pages/html.js';

/** Screen readers announce it first. */
export function notice(text: Fragment, details: string[] = []): Html {
  const list = html`<ul>${details.map((detail) => html`<li>${detail}</li>`)}</ul>`;
  return html`<div class="notice" role="alert"><p>${text}</p>${details.length > 0 && list}</div>`;
}
