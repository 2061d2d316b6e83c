# docker build -t relsmith . && docker run --rm -v "$PWD:/data" --user "$(id -u)" relsmith list
# More extras (docs/install.md): docker build --build-arg EXTRAS=stats,web,dask,cloud -t relsmith .
FROM python:3.13 AS build
ARG EXTRAS=stats,web,annotate,bulk,hub
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir --prefix=/install -c constraints.txt ".[$EXTRAS]" ./examples/plugin

FROM python:3.13-slim
COPY --from=build /install /usr/local
RUN useradd --create-home --uid 1000 gen && install -d -o gen -g gen /data
USER 1000
WORKDIR /data
ENTRYPOINT ["gen"]
CMD ["--help"]
