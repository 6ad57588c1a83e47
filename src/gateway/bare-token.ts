/** The token itself, which clients send with or without `Bot ` before it. */
export function bareToken(token: string): string {
  return token.startsWith('Bot ') ? token.slice('Bot '.length) : token;
}
