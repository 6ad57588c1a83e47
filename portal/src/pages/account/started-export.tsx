import type { StartedExportFragment } from '../../gql/types.js';
import { figure } from '../instance/words.js';

/** The browser shows the progress. The page stays open. */
export function startDownload({ url }: Pick<StartedExportFragment, 'url'>): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}

export function StartedExport({ of: { url, messages, files } }: { of: StartedExportFragment }) {
  return (
    <p role="status">
      The download started. It contains {figure(messages, 'message')} and {figure(files, 'file')}. If it fails,{' '}
      <a href={url} download="">
        start it again
      </a>{' '}
      within an hour.
    </p>
  );
}
