FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY src src
COPY schemas schemas
RUN npm ci --no-audit --no-fund && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
# git reads the desired state and keeps the ledger.
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /plumbline
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY schemas schemas
ENV NODE_ENV=production PLUMBLINE_STATE_DIR=/var/lib/plumbline
RUN install -d -o node -g node /var/lib/plumbline /work
VOLUME /var/lib/plumbline
USER node
WORKDIR /work
ENTRYPOINT ["node", "/plumbline/dist/cli.js"]
CMD ["plan"]
