# The image of Causeway. docs/operations.md says how to run it ("Containers").

FROM node:24-bookworm-slim AS build
# better-sqlite3 is compiled if there is no binary to download. The base image has the headers of Node.js.
RUN apt-get update && apt-get install -y --no-install-recommends g++ make python3 && rm -rf /var/lib/apt/lists/*
ENV npm_config_nodedir=/usr/local
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts && npm rebuild better-sqlite3
COPY . .
RUN npm run generate && npm run build
# The image has the content of the package, without what only programs that import it need.
RUN mkdir /app && \
    tar -xzf "$(npm pack --ignore-scripts --silent)" -C /app --strip-components=1 && \
    cp package-lock.json /app && \
    cd /app && \
    npm ci --omit=dev --ignore-scripts && \
    rm -r dist/testing node_modules/.package-lock.json node_modules/discord-api-types package-lock.json

FROM node:24-bookworm-slim
RUN groupadd --gid 10001 causeway && \
    useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin causeway && \
    install -d -m 700 -o 10001 -g 10001 /data
COPY --from=build /app /app
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 4000
# The process drains within DRAIN_TIMEOUT_MS (9 s). Docker waits for 10 s before it kills: use --stop-timeout 20.
STOPSIGNAL SIGTERM
# A start may wait for PostgreSQL and Redis for START_WAIT_MS (60 s).
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.METRICS_PORT || process.env.PORT || 4000) + '/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["start"]
