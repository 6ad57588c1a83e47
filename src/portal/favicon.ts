import type { FastifyInstance } from 'fastify';

/** Two arches of a causeway, 32 × 32 pixels. */
const PNG = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgBAMAAACBVGfHAAAAMFBMVEVMaXE+TtY+TtY/TtU7UdU+TtU/T9Y+T9Y/T9b///+epuuwtu9CUtfi5Pl4hOPz9PyZ',
    'QzchAAAACHRSTlMA8s9UFYKEg8cDW60AAAAJcEhZcwAALiMAAC4jAXilP3YAAACVSURBVCjPY2BgSZLogIJGdQcGBgbDDiQgzMDA3IECDBgcUQVEGDJQBVoZ',
    'NFAFmhgkUAUaGTrQAL0EOmcigRlECXR07ASyZoMJiKFdM+fuvjkTTKwAC5yfuafj9Eww8Qcs8HLuiY6em2BiHlhgJUjrTjAxCyIApBAEEQISqAKNmIFcgR4N',
    'GBGFEZUYkc3AEoRIDqoODABoog1mgz0fiAAAAABJRU5ErkJggg==',
  ].join(''),
  'base64',
);

/** Browsers request `/favicon.ico` on every origin. */
export function mountFavicon(http: FastifyInstance): void {
  http.get('/favicon.ico', async (_request, reply) =>
    reply.headers({ 'content-type': 'image/png', 'cache-control': 'public, max-age=86400' }).send(PNG),
  );
}
