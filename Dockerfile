# An image that holds the program, certificates of public authorities, and nothing else.
#
#   docker build -t sts-plan .          # compiled from this folder
#   docker run --rm -i sts-plan -f - < dump.yaml
#
# A release takes `--target release`, which copies the programs of its archives from programs/linux-ARCH.

FROM rust:1.95.0-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist

FROM scratch AS base
# Alpine's own: for API servers that a public authority vouches for. In a cluster the service account brings its own.
COPY --from=alpine:3.22 /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY LICENSE /LICENSE
# A user of no name and no group.
USER 65532:65532
ENTRYPOINT ["/kubectl-sts_plan"]

FROM base AS release
ARG TARGETARCH
COPY programs/linux-${TARGETARCH}/kubectl-sts_plan /kubectl-sts_plan

FROM base
COPY --from=build /src/target/dist/kubectl-sts_plan /kubectl-sts_plan
