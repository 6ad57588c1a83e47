export function bareToken(token: string): string {
  return token.startsWith('Bot ') ? token.slice('Bot '.length) : token;
}
