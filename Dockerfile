# An image per service; `npm run images` builds them all (k8s/README.md), and this one:
#   docker build --build-arg SERVICE=offers --tag offer-ads/offers .
# NODE_IMAGE builds the image and gives it its Node: Node 24 with npm and a shell, from any source. RUNTIME_IMAGE is the base
# of the image. It needs only glibc and libstdc++, and no shell, because the build runs nothing in it. PYTHON_IMAGE, from 3.11 on with
# pip and venv, packs the Python client.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm
ARG NODE_IMAGE=node:24-bookworm-slim
ARG RUNTIME_IMAGE=debian:bookworm-slim

# Manifests alone, so that packages are installed anew only when they change.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json -delete && find . -type d -empty -delete
RUN --mount=type=bind,source=deploy/images,target=/images node /images/manifests.ts

FROM ${NODE_IMAGE} AS npm
WORKDIR /app
ENV npm_config_omit=dev npm_config_ignore_scripts=true npm_config_audit=false npm_config_fund=false \
    npm_config_update_notifier=false npm_config_prefer_offline=true
COPY --from=manifests /app ./

# Packages that all services and the admin tool need: the same layer in every image. All stages share one package cache. Settings for
# a private registry come from the secret `npmrc`, which is stored in no layer.
FROM npm AS common
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace=@offer-ads/platform --workspace=@offer-ads/admin
RUN --mount=type=bind,source=deploy/images/shrink-modules.ts,target=/shrink-modules.ts node /shrink-modules.ts node_modules

# Packages that only one service needs. npm installs our own packages as symlinks into packages/, and these must stay: Node does
# not strip types from files whose real path is below node_modules.
FROM npm AS own
ARG SERVICE
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace=@offer-ads/platform --workspace=@offer-ads/admin --workspace=@offer-ads/${SERVICE:?which service}
RUN --mount=type=bind,source=deploy/images/shrink-modules.ts,target=/shrink-modules.ts --mount=type=bind,from=common,source=/app,target=/common \
    node /shrink-modules.ts node_modules /common/node_modules

FROM npm AS simulators-own
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace=@offer-ads/platform --workspace=@offer-ads/admin --workspace=@offer-ads/simulators
RUN --mount=type=bind,source=deploy/images/shrink-modules.ts,target=/shrink-modules.ts --mount=type=bind,from=common,source=/app,target=/common \
    node /shrink-modules.ts node_modules /common/node_modules

# The Python client. The secret `pip` has settings for a private package index. Trusted is whom the image trusts, also by an older pip.
FROM ${PYTHON_IMAGE} AS wheel
ENV PIP_CERT=/etc/ssl/certs/ca-certificates.crt
WORKDIR /app/packages/sdk-python
COPY packages/sdk-python/requirements requirements
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=secret,id=pip,target=/etc/pip.conf \
    python3 -m venv /tools && /tools/bin/pip install --require-hashes --requirement requirements/tools.txt
COPY packages/contracts/generated/openapi.json ../contracts/generated/
COPY packages/sdk-python ./
RUN /tools/bin/python -m hatchling build -t wheel -d dist

# The portal, the console and the guides, as files that browsers load, and the packed clients.
FROM npm AS pages
RUN --mount=type=cache,target=/root/.npm --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --workspace=@offer-ads/web --workspace=@offer-ads/sdk
COPY tsconfig.json ./
COPY packages/contracts packages/contracts
COPY packages/sdk packages/sdk
COPY packages/mcp packages/mcp
COPY --from=wheel /app/packages/sdk-python packages/sdk-python
COPY docs docs
COPY web web
RUN node web/build.ts --complete

# All files get the time of the commit, so that two builds give the same layers, and a new commit gives the portal's files new ETags.
FROM ${NODE_IMAGE} AS sources
WORKDIR /app
COPY packages packages
COPY services services
# Else each process would load Node's compiler for them.
RUN --mount=type=bind,source=deploy/images,target=/images node --no-warnings /images/strip-types.ts packages services
COPY --from=pages /app/web/dist web/dist
COPY --from=pages /app/web/downloads/dist web/downloads/dist
ARG SOURCE_DATE_EPOCH
RUN if [ -n "${SOURCE_DATE_EPOCH}" ]; then find . -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +; fi

# Only the gateway's image, which also contains the console, serves pages.
FROM sources AS own-pages
ARG SERVICE
RUN mkdir -p /own && if [ "${SERVICE}" = gateway ]; then mkdir -p /own/web/downloads && cp -a web/dist /own/web/ && cp -a web/downloads/dist /own/web/downloads/; fi

FROM ${NODE_IMAGE} AS node
# /data is for what a service keeps on disk; a volume that is mounted there starts with its owner.
RUN cp "$(readlink -f "$(command -v node)")" /node && mkdir /data && touch --date=@0 /node /data

FROM ${RUNTIME_IMAGE} AS runtime
COPY --from=node /node /usr/local/bin/node
COPY --from=node --chown=1000:1000 /data /data
COPY --from=common /app/node_modules /app/node_modules
COPY --from=sources /app/packages/contracts /app/packages/contracts
COPY --from=sources /app/packages/platform /app/packages/platform
COPY --from=sources /app/packages/admin /app/packages/admin
# The gateway's tools for assistants, which call the API by the SDK.
COPY --from=sources /app/packages/mcp/package.json /app/packages/mcp/package.json
COPY --from=sources /app/packages/mcp/src /app/packages/mcp/src
COPY --from=sources /app/packages/sdk/package.json /app/packages/sdk/package.json
COPY --from=sources /app/packages/sdk/src /app/packages/sdk/src
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 ADMIN_PORT=9080 \
    NODE_OPTIONS=--import=/app/packages/platform/src/process/stripped-sources.mjs
# By number, because the base may have no name for it.
USER 1000:1000
EXPOSE 8080 9080
# Replaces the entry point of the base.
ENTRYPOINT []

# A check starts Node, because the image may contain no other program. So checks are rare, and may take long on a busy machine.
FROM runtime AS simulators
ARG VERSION REVISION CREATED
LABEL org.opencontainers.image.title="offer-ads/simulators" \
      org.opencontainers.image.description="The card provider, the central bank and the mail server of a trial system" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
COPY --from=simulators-own /app/node_modules /app/node_modules
COPY --from=sources /app/packages/simulators /app/packages/simulators
WORKDIR /app
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s CMD ["node", "--eval", "require('http').get(`http://127.0.0.1:${process.env.PORT}/livez`, (reply) => process.exit(reply.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]

FROM runtime AS service
ARG SERVICE
COPY --from=own /app/node_modules /app/node_modules
COPY --from=sources /app/services/${SERVICE} /app/services/${SERVICE}
COPY --from=own-pages /own /app
WORKDIR /app/services/${SERVICE}
# Opening pictures takes and gives back tens of megabytes at a time: few arenas, and what is large goes back to the system.
# A young generation of 24 MB: V8 would take 96 MB on a large machine, for no less processor time, and 3 MB in a container of 512 MiB.
# Flags of Node for this one service: moderation has --max-semi-space-size=4, because pictures come and go outside of it.
ARG NODE_FLAGS=""
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 NODE_OPTIONS="${NODE_OPTIONS} --max-semi-space-size=8 ${NODE_FLAGS}"
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s CMD ["node", "--eval", "require('http').get(`http://127.0.0.1:${process.env.PORT}/readyz`, (reply) => process.exit(reply.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["node", "--import", "@offer-ads/platform/telemetry/telemetry", "src/main.ts"]
ARG VERSION REVISION CREATED
LABEL org.opencontainers.image.title="offer-ads/${SERVICE}" \
      org.opencontainers.image.description="Offer advertising: the service ${SERVICE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}"
