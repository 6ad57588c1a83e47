import { ApplicationFileChangedDocument, ApplicationFileDocument } from '../../../gql/applications/as-code/as-code.js';
import { writeYaml } from '../../../gql/yaml-file.js';
import { useLive } from '../../../live.js';
import { useQuery } from '../../../query.js';
import { CopyButton } from '../../../ui/copy.js';
import { Awaited } from '../../../ui/listing.js';
import { useTitle } from '../../../ui/page.js';
import { useApplication } from '../application.js';
import { ApplyFile } from './apply-file.js';
import './as-code.css';

const FILE_NAME = 'causeway.app.yaml';

/** Shows the application as a file, and applies another one. */
export function AsCode() {
  const { id, name } = useApplication();
  useTitle('As code', name);
  const answer = useQuery({ query: ApplicationFileDocument, variables: { id } });
  useLive(ApplicationFileChangedDocument, { id });
  const file = answer.data?.application?.file;
  const text = file ? writeYaml(file) : undefined;
  return (
    <>
      <section className="card" aria-labelledby="current-file">
        <h2 id="current-file">Current file</h2>
        <p>
          This file contains the settings, global commands and webhooks, without secrets. Keep it with your code, and
          apply it from CI with <code>causeway app apply</code>.
        </p>
        {text ? <CurrentFile text={text} /> : <Awaited answer={answer} />}
      </section>
      <section className="card" aria-labelledby="apply-file">
        <h2 id="apply-file">Apply a file</h2>
        <ApplyFile current={text} />
      </section>
    </>
  );
}

function CurrentFile({ text }: { text: string }) {
  return (
    <>
      <div className="actions">
        <CopyButton text={text} what={FILE_NAME} />
        <button type="button" className="plain small" onClick={() => download(text)}>
          Download
        </button>
      </div>
      <section aria-label={FILE_NAME}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need focus to scroll */}
        <pre className="as-code-file" tabIndex={0}>
          {text}
        </pre>
      </section>
    </>
  );
}

function download(text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'text/yaml' }));
  Object.assign(document.createElement('a'), { href, download: FILE_NAME }).click();
  URL.revokeObjectURL(href);
}
