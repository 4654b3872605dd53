# Node 24.18.0 on Debian 12. Pinned by digest, because a tag can move to another image.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . ./
RUN npm run package

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
# git follows the repository and keeps the ledger. ssh and gpg connect to repositories and verify signatures.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates git gnupg openssh-client \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /plumbline
COPY --from=build /build/release/package ./
# Debian uses glibc, and no program reads source maps of packages.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force \
  && rm -rf node_modules/@libsql/*-musl && find node_modules -name '*.map' -delete
COPY --from=build /build/release/sbom.cdx.json ./
# git must leave no background process, because no process waits for it. Users mount checkouts of other users at /work. git reads them only
# if a configuration file lists the folder and its .git. A variable would not reach the process that git starts for a fetch.
RUN git config --system gc.autoDetach false \
  && git config --system maintenance.autoDetach false \
  && git config --system --add safe.directory /work \
  && git config --system --add safe.directory /work/.git
ENV NODE_ENV=production \
  PLUMBLINE_STATE_DIR=/var/lib/plumbline
RUN install -d -o node -g node -m 0700 /var/lib/plumbline && install -d -o node -g node /work
VOLUME /var/lib/plumbline
USER node
WORKDIR /work
EXPOSE 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=2m CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLUMBLINE_PORT ?? 9464}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/plumbline/dist/cli.js"]
CMD ["plan"]
