# One image per service: docker build --build-arg SERVICE=offers .
# The base may be any image with Node 24, npm and a shell; where it comes from does not matter to the build.
ARG NODE_IMAGE=node:24-bookworm-slim

# Manifests alone, so that the next stage is built anew only when dependencies change.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete
# `npm ci --omit=dev` follows the development dependencies of a workspace into other workspaces all the same.
RUN npm pkg delete devDependencies --workspaces

# What the service needs to run. npm leaves its own packages as symlinks into packages/, and they must stay that way:
# Node strips types from no file whose real path is below node_modules.
FROM ${NODE_IMAGE} AS dependencies
ARG SERVICE
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace=@offer-ads/${SERVICE:?which service}
# For what a service keeps on disk; a volume that is mounted here starts with this owner.
RUN mkdir /data && chown 1000:1000 /data

FROM ${NODE_IMAGE} AS simulators
WORKDIR /app
COPY --from=manifests /app ./
# The servers that `npm start` embeds are optional packages, and of no use here.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace=@offer-ads/dev
COPY packages ./packages
COPY dev ./dev
RUN mkdir /data && chown 1000:1000 /data
ENV HOST=0.0.0.0
USER 1000:1000

FROM ${NODE_IMAGE} AS service
ARG SERVICE
COPY --from=dependencies --chown=1000:1000 /data /data
COPY --from=dependencies /app /app
COPY packages /app/packages
COPY services/${SERVICE} /app/services/${SERVICE}
WORKDIR /app/services/${SERVICE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# Opening pictures takes and gives back tens of megabytes at a time: few arenas, and what is large goes back to the system.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144
# By number, because a base need not know a name for it.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "@offer-ads/platform/telemetry", "src/main.ts"]
