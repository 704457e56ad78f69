# An image with only the program and public CA certificates.
#
#   docker build -t sts-plan .          # compiles this folder
#   docker run --rm -i sts-plan -f - < dump.yaml
#
# A release uses `--target release`, which copies the programs of its archives from programs/linux-ARCH.

FROM rust:1.95.0-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS build
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
# Same flags as the release workflow for Linux.
ENV RUSTFLAGS="-Clink-arg=-Wl,-z,pack-relative-relocs"
RUN cargo build --locked --profile dist

# For API servers with a certificate of a public CA. In a cluster, the service account has its own.
FROM --platform=$BUILDPLATFORM rust:1.95.0-alpine@sha256:606fd313a0f49743ee2a7bd49a0914bab7deedb12791f3a846a34a4711db7ed2 AS certificates

FROM scratch AS base
COPY --from=certificates /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE /LICENSE
# An unprivileged user without a name.
USER 65532:65532
ENTRYPOINT ["/kubectl-sts_plan"]

FROM base AS release
ARG TARGETARCH
COPY programs/linux-${TARGETARCH}/kubectl-sts_plan /kubectl-sts_plan

FROM base
COPY --from=build /src/target/dist/kubectl-sts_plan /kubectl-sts_plan
