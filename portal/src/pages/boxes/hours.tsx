import type { BoxStatisticsQuery } from '../../gql/types.js';
import { once } from '../../ui/once.js';
import './hours.css';

type Hour = NonNullable<BoxStatisticsQuery['box']>['statistics']['hours'][number];

const time = once(() => new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' }));

const timeOf = ({ startsAt }: Hour) => time().format(new Date(startsAt));

/** In SVG units. The width is stretched to the space. */
const HEIGHT = 100;
const [STEP, BAR] = [10, 7];
/** Added to every non-empty bar, so that one request in ten thousand is visible. */
const LEAST = 2;

/** Answered requests are above the line and failed ones below. */
export function Hours({ hours }: { hours: readonly Hour[] }) {
  const [first] = hours;
  return (
    <div className="hours">
      <Bars hours={hours} />
      <p className="hours-scale soft small">
        <span>{first && timeOf(first)}</span>
        <span>now</span>
      </p>
      <p className="soft small">
        Requests per hour: answered above the line, failed below. A request that the box refuses counts as answered.
      </p>
      <details>
        <summary>Hour by hour</summary>
        <Rows hours={hours} />
      </details>
    </div>
  );
}

function Bars({ hours }: { hours: readonly Hour[] }) {
  const most = (of: (hour: Hour) => number) => Math.max(...hours.map(of));
  const [answered, failed] = [most((hour) => hour.requests - hour.failed), most((hour) => hour.failed)];
  const scale = (HEIGHT - 2 * LEAST) / Math.max(answered + failed, 1);
  const sizeOf = (count: number) => (count === 0 ? 0 : LEAST + count * scale);
  const line = sizeOf(answered);
  const width = hours.length * STEP;
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={summaryOf(hours)}>
      {hours.map((hour, index) => {
        const [up, down] = [sizeOf(hour.requests - hour.failed), sizeOf(hour.failed)];
        const x = index * STEP;
        return (
          <g key={hour.startsAt}>
            <title>{wordsOf(hour)}</title>
            {/* Hover target for the tooltip, also of hours without requests. */}
            <rect x={x} width={STEP} height={HEIGHT} className="whole" />
            <rect x={x} width={BAR} y={line - up} height={up} />
            <rect x={x} width={BAR} y={line} height={down} className="failed" />
          </g>
        );
      })}
      <line x1={0} x2={width} y1={line} y2={line} />
    </svg>
  );
}

const wordsOf = (hour: Hour) => `${timeOf(hour)}: ${hour.requests} requests, ${hour.failed} failed`;

function summaryOf(hours: readonly Hour[]): string {
  const [busiest] = hours.toSorted((one, other) => other.requests - one.requests);
  return `Requests per hour in the last 24 hours${busiest ? `. Busiest hour: ${wordsOf(busiest)}` : ''}`;
}

function Rows({ hours }: { hours: readonly Hour[] }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col">Requests</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {hours.map((hour) => (
            <tr key={hour.startsAt}>
              <th scope="row">
                <time dateTime={hour.startsAt}>{timeOf(hour)}</time>
              </th>
              <td>{hour.requests.toLocaleString()}</td>
              <td>{hour.failed.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
