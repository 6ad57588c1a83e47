import { createHash } from 'node:crypto';

/** Inlined into every server-rendered page. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --page: #eef0f4; --card: #fff; --line: #d5d8e0; --field: #858b99; --text: #1b1d23; --soft: #565c69;
  --accent: #3f4fd6; --on-accent: #fff; --press: #3341b8; --bad: #b3261e; --bad-card: #fdeceb; --warn-card: #fff4dc; --warn: #7a4d00; --good: #1a6b3c; --good-card: #e2f4e8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #14161b; --card: #1f2228; --line: #383d47; --field: #7d8492; --text: #eceef2; --soft: #a9b0bd;
    --accent: #8c9bff; --on-accent: #10131f; --press: #a9b4ff; --bad: #ff9d95; --bad-card: #3a1f1f; --warn-card: #392d12; --warn: #ffd27a; --good: #7fd6a0; --good-card: #16321f;
  }
}
* { box-sizing: border-box; }
html { font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
body { margin: 0; padding: 2rem 1rem; color: var(--text); background: var(--page); overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
.brand { max-width: 34rem; margin: 0 auto 1rem; color: var(--soft); font-weight: 600; letter-spacing: .02em; }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0 0 .25rem; font-size: 1rem; }
p, dl { margin: 0 0 1rem; }
.actions + h2 { margin-top: 2rem; }
code { padding: .1em .3em; border-radius: .25rem; background: var(--page); font-size: .875em; }
dt { margin-top: .5rem; font-weight: 600; }
dd { margin: 0; }
p:last-child { margin-bottom: 0; }
a { color: var(--accent); }
bdi { font-weight: 600; }
.soft { color: var(--soft); }
.small { font-size: .875rem; line-height: 1.4; }
.choices .small { display: block; }
.application { display: flex; gap: 1rem; align-items: center; margin-bottom: 1rem; }
.application > div { min-width: 0; }
.application h1, .application p { margin: 0; }
.icon { flex: none; width: 4rem; height: 4rem; border-radius: 1rem; object-fit: cover; }
.letter { display: grid; place-items: center; color: var(--on-accent); background: var(--accent); font-size: 1.75rem; font-weight: 700; }
.person { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: baseline; margin: 0 0 1.5rem; padding: .625rem .875rem; border-radius: .625rem; background: var(--page); font-size: .9375rem; }
.person p { margin: 0; }
fieldset { margin: 0 0 1.5rem; padding: 0; border: 0; min-width: 0; }
legend, .label { display: block; padding: 0; margin: 0 0 .5rem; font-weight: 600; }
.choices { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .625rem; }
.choices li + li { border-top: 1px solid var(--line); }
.choices label { display: flex; gap: .75rem; padding: .75rem .875rem; cursor: pointer; }
.choices label > span { min-width: 0; }
.choices strong { display: block; font-weight: 600; }
.compact { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); border: 0; gap: 0 1rem; }
.compact li + li { border: 0; }
.compact label { padding: .375rem 0; }
.compact .grave { grid-column: 1 / -1; }
.grave label { padding: .75rem .875rem; margin-bottom: .375rem; color: var(--warn); background: var(--warn-card); border-radius: .625rem; }
input[type=checkbox], input[type=radio] { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent); }
select, input[type=text], input[type=email], input[type=password] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: .625rem; }
input + p { margin-top: .5rem; }
[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
.field { margin-bottom: 1.5rem; }
form + p { margin-top: 1.5rem; }
.fault { margin: .5rem 0 0; color: var(--bad); font-weight: 600; }
.notice { margin: 0 0 1.5rem; padding: .875rem; border-radius: .625rem; background: var(--bad-card); color: var(--bad); }
.notice p { margin: 0; font-weight: 600; }
.notice ul { margin: .25rem 0 0; padding-left: 1.25rem; }
.hint { padding: .75rem .875rem; border: 1px dashed var(--field); border-radius: .625rem; }
.ending { display: flex; gap: 1rem; align-items: center; margin-bottom: 1rem; }
.ending h1 { margin: 0; }
.mark { flex: none; display: grid; place-items: center; width: 3rem; height: 3rem; border-radius: 50%; font-size: 1.5rem; font-weight: 700; color: var(--soft); background: var(--page); }
.mark.done { color: var(--good); background: var(--good-card); }
.mark.fault { color: var(--bad); background: var(--bad-card); }
.actions { display: flex; gap: .75rem; margin-top: 1rem; }
button, .button { flex: 1; display: inline-flex; align-items: center; justify-content: center; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer; color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: .625rem; }
button:hover, .button:hover { background: var(--press); }
button.plain, .button.plain { color: var(--text); background: transparent; border-color: var(--field); }
button.plain:hover, .button.plain:hover { background: var(--page); }
button.link { flex: none; min-height: 0; padding: 0; color: var(--accent); background: none; border: 0; text-decoration: underline; font-weight: 400; }
button.link:hover { background: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.consent:has(#target-user:checked) .server-only, .consent:has(#target-server:checked) .user-only { display: none; }
@media (max-width: 30rem) {
  body { padding: 0; background: var(--card); }
  main { padding: 1.25rem 1rem 2rem; border: 0; border-radius: 0; }
  .brand { margin: 0; padding: 1rem 1rem 0; }
}
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;

/** For the pages' content security policy. */
export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;
